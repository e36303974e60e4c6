//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Attachments without bytes in the database")
struct AbsentAttachmentTests {
    private let sample = [UInt8](repeating: 7, count: 300_000)

    private var absent: StoredBlob {
        get throws { try #require(StoredBlob.absent(length: sample.count, md5Text: md5Text(of: sample))) }
    }

    private func md5Text(of bytes: [UInt8]) -> String {
        var digits = Array("md5-".utf8)
        Base64.append(MessageDigest.Algorithm.md5.digest(of: bytes), to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    /// Inserts a revision whose attachment `photo` is absent.
    private func graft(_ store: Datastore, _ text: String, position: Int = 1) async throws {
        var document = try incoming(text, purpose: .replication)
        document.setAttachment(
            .absent(name: "photo", contentType: "image/jpeg", blob: try absent, revisionPosition: position))
        let whole = document
        _ = try await store.transact { try $0.graft(whole) }
    }

    private func upload(_ store: Datastore) async throws -> StoredBlob {
        var upload = store.upload()
        try await upload.append(sample)
        return try await upload.finish()
    }

    private func text(_ store: Datastore, _ id: String) throws -> String {
        try store.readTogether { table in
            var renderer = DocumentRenderer()
            renderer.attachments = .inline(unlessIn: [])
            var text = DocumentText()
            renderer.append(StoredRevision(winnerOf: try #require(try table.row(id: id))), to: &text)
            return String(decoding: try table.filled(text), as: UTF8.self)
        }
    }

    @Test("A digest that is not an MD5 describes no bytes", arguments: ["", "md5-", "md5-AAAA", "sha1-x", "md5-!"])
    func noDigest(_ text: String) {
        #expect(StoredBlob.absent(length: 1, md5Text: text) == nil)
    }

    @Test("It is a stub, its error says that the bytes are in another database, and it cannot be read")
    func shown() async throws {
        try await withDatastore { store in
            try await graft(store, #"{"_id":"a","_rev":"1-a"}"#)
            let photo = try #require(try store.document("a").attachments["photo"])
            #expect(photo.isAbsent && photo.length == sample.count && photo.digest == md5Text(of: sample))
            #expect(try text(store, "a").contains(#""length":300000,"stub":true"#))
            let error = #expect(throws: StoreError.self) { try store.bytes(of: photo) }
            #expect(error?.code == .notFound && error?.message.contains("fetch(_:of:from:)") == true)
            #expect(try store.read { try $0.storedUses() }.isEmpty)
        }
    }

    @Test("Edits, stubs and replicated revisions keep it; another name or document cannot use it")
    func kept() async throws {
        try await withDatastore { store in
            try await graft(store, #"{"_id":"a","_rev":"1-a"}"#)
            var document = try store.document("a")
            document.body["n"] = 1
            document = try await store.update(document)
            #expect(document.attachments["photo"]?.isAbsent == true)
            #expect(document.attachments["photo"]?.revisionPosition == 1)
            try await store.save(
                #"{"_id":"a","_rev":"\#(try #require(document.revision))","_attachments":{"photo":{"stub":true}}}"#)
            #expect(try store.document("a").attachments["photo"]?.isAbsent == true)
            try await store.graft(
                #"{"_id":"a","_revisions":{"start":9,"ids":["i","h","g","f","e","d","c","b","a"]},"_attachments":{"photo":{"stub":true,"revpos":1}}}"#
            )
            #expect(try store.row("a").winner.revision.description == "9-i")
            let photo = try #require(try store.document("a").attachments["photo"])
            #expect(photo.isAbsent)

            var moved = try store.document("a")
            moved.attachments = ["other": photo]
            await expectFailure(.missingStub) { [moved] in _ = try await store.update(moved) }
            await expectFailure(.missingStub) {
                _ = try await store.create(Document(id: "b", body: [:], attachments: ["photo": photo]))
            }
        }
    }

    @Test("A fetch fills every leaf once, without a new revision; earlier read documents stay valid")
    func filled() async throws {
        try await withDatastore { store in
            try await graft(store, #"{"_id":"a","_rev":"1-a"}"#)
            for branch in ["b", "c"] {
                try await store.graft(
                    #"{"_id":"a","_revisions":{"start":2,"ids":["\#(branch)","a"]},"_attachments":{"photo":{"stub":true}}}"#
                )
            }
            let (row, before) = (try store.row("a"), try store.document("a"))
            let (blob, record) = (try await upload(store), try #require(row.attachments.first))
            let filled = try await store.transact { try $0.fill(record, of: "a", with: blob) }
            #expect(filled?.blob == blob && filled?.revisionPosition == 1)
            #expect(try store.leafTexts("a") == ["2-c", "2-b"])
            #expect(try store.row("a").sequence == row.sequence + 1)
            for leaf in row.leaves {
                let photo = try #require(try store.document("a", at: leaf.revision).attachments["photo"])
                #expect(!photo.isAbsent)
                let read = try await store.bytes(of: photo).collect(bytesMax: .max)
                #expect(isSame(read, sample))
            }
            #expect(try store.read { try $0.storedUses() } == [blob.number: 2])
            #expect(try await store.transact { try $0.fill(record, of: "a", with: blob) } == nil)
            #expect(store.updateSequence.number == row.sequence + 1)
            #expect(try await store.transact { try $0.fill(record, of: "nowhere", with: blob) } == nil)
            // The document was read while its attachment was absent.
            #expect(try await store.update(before).attachments["photo"]?.isAbsent == false)
        }
    }

    @Test("A revision whose ancestor has the bytes needs no others")
    func knownBytes() async throws {
        try await withDatastore { store in
            let saved = try await store.create(
                Document(id: "a", body: [:], attachments: ["photo": .data(sample, contentType: "image/jpeg")]))
            let first = try #require(saved.revision)
            try await graft(store, #"{"_id":"a","_revisions":{"start":2,"ids":["b","\#(first.hashText)"]}}"#)
            #expect(try store.document("a").attachments["photo"]?.isAbsent == false)
        }
    }

    @Test("Deleting, purging, compacting and expiring do not count missing bytes")
    func upkeep() async throws {
        try await withDatastore { store in
            for id in ["deleted", "purged", "edited"] { try await graft(store, #"{"_id":"\#(id)","_rev":"1-a"}"#) }
            try await graft(store, #"{"_id":"edited","_rev":"1-b"}"#)
            try await store.delete("deleted")
            #expect(try await store.transact { try $0.purge("purged") }.count == 1)
            var edited = try store.document("edited")
            edited.body["n"] = 1
            edited.attachments["photo"] = .data(sample, contentType: "image/jpeg")
            edited = try await store.update(edited)
            try await store.checkInvariants()
            _ = try await store.compact()
            try await store.checkInvariants()
            _ = try await store.transact { try $0.purge("edited", leaves: [RevisionID("1-a")!]) }
            try await store.delete("edited")
            _ = try await store.compact()
            #expect(try store.read { try $0.storedUses() }.isEmpty)
        }
    }
}
