//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Attachments")
struct AttachmentTests {
    private func sample(_ count: Int, seed: Int = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 31 &+ $0 >> 9) }
    }

    private func records(_ store: Datastore, _ id: String) throws -> [AttachmentRecord] {
        try store.row(id).attachments
    }

    private func bytes(_ store: Datastore, _ blob: StoredBlob) throws -> [UInt8] {
        try store.read { try $0.attachmentBytes(blob) }
    }

    @Test("Bytes are returned with their description", arguments: [0, 1, 5, 262_143, 262_144, 262_145, 700_000])
    func roundTrip(length: Int) async throws {
        try await withDatastore { store in
            let sample = sample(length)
            let saved = try await store.create(
                Document(id: "a", body: [:], attachments: ["photo": .data(sample, contentType: "image/jpeg")]))
            #expect(saved.attachments["photo"]?.length == length)
            #expect(saved.attachments["photo"]?.contentType == "image/jpeg")
            let record = try #require(try records(store, "a").first)
            #expect(record.name == "photo" && record.revisionPosition == 1 && record.blob.length == length)
            #expect(record.blob.digest == MessageDigest.Algorithm.sha256.digest(of: sample))
            #expect(record.blob.md5 == MessageDigest.Algorithm.md5.digest(of: sample))
            #expect(try isSame(bytes(store, record.blob), sample))
        }
    }

    @Test("Runs of bytes end with their chunk, and together are complete")
    func ranges() async throws {
        try await withDatastore { store in
            let (sample, chunk) = (sample(700_000), StoreLimits.attachmentChunkBytes)
            _ = try await store.create(Document(id: "a", body: [:], attachments: ["x": .data(sample, contentType: "")]))
            let blob = try store.pin(try #require(try records(store, "a").first).blob)
            for (start, end) in [
                (0, 1), (0, 700_000), (chunk - 1, chunk + 1), (chunk, 2 * chunk), (chunk - 10, 2 * chunk + 10),
                (2 * chunk - 1, 700_000), (699_999, 700_000),
            ] {
                var read: [UInt8] = []
                while start + read.count < end {
                    let run = try store.attachmentChunk(blob, from: start + read.count, to: end)
                    #expect((1...chunk).contains(run.count))
                    read += run
                }
                #expect(isSame(read, Array(sample[start..<end])), "\(start)..<\(end)")
            }
        }
    }

    @Test("Equal bytes are stored once, from any source")
    func storedOnce() async throws {
        try await withDatastore { store in
            let sample = sample(300_000)
            for id in ["a", "b"] {
                let one = Attachment.data(sample, contentType: "text/\(id)")
                _ = try await store.create(Document(id: id, body: [:], attachments: ["x": one, "y": one]))
            }
            var upload = store.upload()
            try await upload.append(sample)
            let blob = try await upload.finish()
            #expect(try Set((records(store, "a") + records(store, "b")).map(\.blob.number)) == [blob.number])
            #expect(try store.read { try $0.storedUses() } == [blob.number: 4])
            #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM chunks") } == 2)
        }
    }

    @Test("An update of the body keeps attachments and the generation of their revision")
    func carriedForward() async throws {
        try await withDatastore { store in
            var document = try await store.create(
                Document(id: "a", body: [:], attachments: ["x": .data([1, 2], contentType: "t/x")]))
            document.body["n"] = 1
            document.attachments["y"] = .data([3], contentType: "t/y")
            document = try await store.update(document)
            #expect(try records(store, "a").map(\.name) == ["x", "y"])
            #expect(try records(store, "a").map(\.revisionPosition) == [1, 2])
            try await store.checkInvariants()

            document.attachments["x"] = nil
            document = try await store.update(document)
            #expect(document.attachments.keys.sorted() == ["y"])
            #expect(
                try store.document("a", at: #require(store.row("a").tree().nodes.first?.revision)).attachments.count
                    == 1)
            try await store.checkInvariants()

            document = try await store.update(document)
            try await store.delete(document)
            #expect(try records(store, "a").isEmpty)
        }
    }

    @Test("A stub that the parent does not have is refused, and nothing is written")
    func missingStub() async throws {
        try await withDatastore { store in
            let stub = #"{"_id":"a","_attachments":{"x":{"stub":true}}}"#
            await expectFailure(.missingStub) { try await store.save(stub) }
            await expectFailure(.missingStub) {
                try await store.save(#"{"_id":"a","_attachments":{"n":{"data":"AAAA"},"x":{"stub":true}}}"#)
            }
            await expectFailure(.missingStub) {
                try await store.graft(#"{"_id":"a","_rev":"2-b","_attachments":{"x":{"stub":true,"revpos":1}}}"#)
            }
            #expect(store.updateSequence.number == 0)
            let uses = try store.read { try $0.storedUses() }
            #expect(uses.isEmpty)
        }
    }

    @Test("A replicated stub is resolved from the youngest existing ancestor")
    func replicatedStub() async throws {
        try await withDatastore { store in
            try await store.graft(#"{"_id":"a","_rev":"1-a","_attachments":{"x":{"data":"QUJD"}}}"#)
            try await store.graft(
                #"{"_id":"a","_revisions":{"start":3,"ids":["c","b","a"]},"_attachments":{"x":{"stub":true}}}"#)
            let record = try #require(try records(store, "a").first)
            #expect(try bytes(store, record.blob) == Array("ABC".utf8))
            #expect(record.revisionPosition == 1)
            await expectFailure(.missingStub) {
                try await store.graft(#"{"_id":"a","_rev":"4-other","_attachments":{"x":{"stub":true}}}"#)
            }
            try await store.graft("a", "da")
            try await store.graft(
                #"{"_id":"a","_revisions":{"start":3,"ids":["e","d","a"]},"n":1}"#)
            #expect(try store.row("a").winner.revision.description == "3-e")
            #expect(try records(store, "a").isEmpty)
        }
    }

    @Test("Attachments of a losing leaf are available when it wins")
    func promoted() async throws {
        try await withDatastore { store in
            try await store.graft(#"{"_id":"a","_rev":"2-b","_attachments":{"x":{"data":"QUJD"}}}"#)
            try await store.graft(#"{"_id":"a","_rev":"2-c","_attachments":{"y":{"data":"REVG"}}}"#)
            #expect(try records(store, "a").map(\.name) == ["y"])
            try await store.delete(store.document("a"))
            let record = try #require(try records(store, "a").first)
            #expect(record.name == "x")
            #expect(try bytes(store, record.blob) == Array("ABC".utf8))
        }
    }

    @Test("A failed write leaves neither row nor bytes")
    func failedWrite() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: [:]))
            await expectFailure(.conflict) {
                let attachment = Attachment.data([1, 2, 3], contentType: "t/x")
                _ = try await store.create(Document(id: "b", body: [:], attachments: ["x": attachment]))
                _ = try await store.transact { transaction in
                    _ = try transaction.apply(incoming(#"{"_id":"c","_attachments":{"x":{"data":"QUJD"}}}"#))
                    return try transaction.apply(incoming(#"{"_id":"a"}"#))
                }
            }
            #expect(try store.changedIDs() == ["a", "b"])
            #expect(try store.read { try $0.storedUses() }.count == 1)
        }
    }
}
