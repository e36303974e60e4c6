//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import Testing

@testable import GodwitStore

/// Features on which users of Cloudant Sync relied, and cases in which it failed.
@Suite("Requirements of Cloudant Sync's users")
struct AcceptanceTests {
    @Test("Creating an invalid document is refused")
    func creation() async throws {
        var limits = StoreLimits()
        limits.bodyBytesMax = 100
        try await withDatastore(limits: limits) { store in
            await expectFailure(.invalidDocument) { _ = try await store.create(Document(body: ["_x": 1])) }
            await expectFailure(.invalidJSON) { _ = try await store.create(Document(body: ["x": .double(.nan)])) }
            await expectFailure(.invalidJSON) {
                _ = try await store.create(Document(body: ["x": [.double(-.infinity)]]))
            }
            await expectFailure(.documentTooLarge) {
                _ = try await store.create(Document(body: ["x": .string(String(repeating: "y", count: 100))]))
            }
            let made = try await store.create(Document(body: ["x": 1]))
            #expect(made.id?.count == 32)
            await expectFailure(.conflict) { _ = try await store.create(Document(id: made.id, body: [:])) }
            #expect(try store.documentCount == 1)
        }
    }

    @Test("An outdated revision is a conflict, also of a deleted document, and changes nothing")
    func staleRevision() async throws {
        try await withDatastore { store in
            let first = try await store.create(Document(id: "a", body: ["n": 1]))
            var second = first
            second.body["n"] = 2
            second = try await store.update(second)
            await expectFailure(.conflict) { _ = try await store.update(first) }
            #expect(try store.document("a").body["n"] == 2)
            try await store.delete(second)
            await expectFailure(.conflict) { _ = try await store.update(second) }
            await expectFailure(.conflict) { _ = try await store.update(first) }
            await expectFailure(.deleted) { _ = try store.document("a") }
        }
    }

    @Test("Deleting by id deletes every live leaf at once")
    func deletion() async throws {
        try await withDatastore { store in
            for leaf in ["ca", "ba", "da"] { try await store.graft("a", leaf) }
            let sequence = store.updateSequence
            let deleted = try await store.delete("a")
            #expect(deleted.map(\.generation) == [3, 3, 3])
            await expectFailure(.deleted) { _ = try store.document("a") }
            #expect(try store.leafTexts("a").allSatisfy { $0.hasSuffix("*") })
            #expect(try store.changedIDs(after: sequence.number) == ["a"])
            await expectFailure(.notFound) { try await store.delete("a") }
            await expectFailure(.notFound) { try await store.delete("b") }
        }
    }

    @Test("Creating a deleted id again continues its history")
    func resurrection() async throws {
        try await withDatastore { store in
            let first = try await store.create(Document(id: "a", body: [:]))
            try await store.delete(first)
            let again = try await store.create(Document(id: "a", body: ["back": true]))
            #expect(again.revision?.generation == 3)
            #expect(try store.history(of: "a").map(\.isDeleted) == [false, true, false])
        }
    }

    @Test(
        "The winner does not depend on the order of arrival",
        arguments: [
            (["4-a", "3-z"], "4-a"), (["2-a", "2-b"], "2-b"), (["9-x", "10-x"], "10-x"), (["1-a", "1-b"], "1-b"),
        ])
    func winner(leaves: [String], winner: String) async throws {
        for order in permutations(leaves) {
            try await withDatastore { store in
                for leaf in order { try await store.graft("a", path: [try revision(leaf)]) }
                #expect(try store.document("a").revision == revision(winner))
            }
        }
    }

    @Test("A live leaf wins over a deletion of a higher generation; among deletions the highest")
    func winnerOfDeletions() async throws {
        try await withDatastore { store in
            try await store.graft("a", "e", start: 5, deleted: true)
            try await store.graft("a", "b", start: 2)
            #expect(try store.document("a").revision == revision("2-b"))
            try await store.delete("a")
            #expect(try store.leafTexts("a").first == "5-e*")
        }
    }

    @Test("A history in the wrong order is refused, a known revision causes no event, ancestors have no body")
    func grafting() async throws {
        try await withDatastore { store in
            await expectFailure(.invalidRequest) {
                try await store.graft(#"{"_id":"a","_rev":"3-c","_revisions":{"start":2,"ids":["c","b","a"]}}"#)
            }
            let isNew = try await store.graft("a", "cba")
            let sequence = store.updateSequence
            let isNewAgain = try await store.graft("a", "cba")
            #expect(isNew && !isNewAgain)
            #expect(store.updateSequence == sequence)
            #expect(try store.history(of: "a").map(\.isAvailable) == [true, false, false])
            await expectFailure(.notFound) { _ = try store.document("a", at: try revision("2-b")) }
        }
    }

    @Test("Changes since a position: each document once, without a gap between two slices")
    func changes() async throws {
        try await withDatastore { store in
            for n in 0..<5 { _ = try await store.create(Document(id: "\(n)", body: [:])) }
            _ = try await store.update(try store.document("1"))
            var (ids, position): ([String], UpdateSequence) = ([], .zero)
            while true {
                var slice: [Change] = []
                for try await change in store.changes(since: position, limit: 2, live: false) { slice.append(change) }
                guard let last = slice.last else { break }
                ids += slice.map(\.id)
                position = try #require(UpdateSequence(last.sequence.description))
            }
            #expect(ids == ["0", "2", "3", "4", "1"])
        }
    }

    // MARK: Attachments

    @Test("An update of the body keeps attachments; equal bytes are stored once and deleted after the last use")
    func attachments() async throws {
        try await withDatastore { store in
            let photo = Attachment.data([1, 2, 3], contentType: "image/png")
            var a = try await store.create(Document(id: "a", body: [:], attachments: ["p": photo]))
            var b = try await store.create(Document(id: "b", body: [:], attachments: ["q": photo]))
            #expect(try store.read { try $0.storedUses() }.count == 1)
            a.body["n"] = 1
            a = try await store.update(a)
            #expect(a.attachments["p"]?.revisionPosition == 1)
            #expect(a.attachments["p"]?.digest == "md5-Uonfc331cyb83SJZevsfrA==")
            let bytes = try await store.bytes(of: try #require(a.attachments["p"])).collect(bytesMax: 10)
            #expect(bytes == [1, 2, 3])
            a.attachments["p"] = nil
            a = try await store.update(a)
            b.attachments = [:]
            b = try await store.update(b)
            try await store.compact()
            #expect(try store.read { try $0.storedUses() } == [:])
        }
    }

    @Test("An attachment comes from a file or a stream; a missing file writes nothing")
    func sources() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                let path = directory.path + "/photo"
                try Data(bytes).write(to: URL(filePath: path))
                let stream = AsyncStream<[UInt8]> { continuation in
                    for start in stride(from: 0, to: bytes.count, by: 1_000) {
                        continuation.yield(Array(bytes[start..<min(start + 1_000, bytes.count)]))
                    }
                    continuation.finish()
                }
                let document = try await store.create(
                    Document(
                        id: "a", body: [:],
                        attachments: [
                            "file": .file(URL(filePath: path), contentType: "t/f"),
                            "stream": .stream(stream, contentType: "t/s"),
                        ]))
                #expect(try store.read { try $0.storedUses() }.values.sorted() == [2])
                let part = try store.bytes(of: try #require(document.attachments["stream"]), in: 262_000..<263_000)
                let read = try await part.collect(bytesMax: 1_000)
                #expect(read == Array(bytes[262_000..<263_000]))
                let gone = Document(id: "b", body: [:], attachments: ["x": .file(path + "-gone", contentType: "t/x")])
                await expectFailure(.storage) { _ = try await store.create(gone) }
                await expectFailure(.notFound) { _ = try store.document("b") }
                let unlistedCount = Document(id: "c", body: [:], attachments: ["x": .file(path, contentType: "t/x")])
                await expectFailure(.invalidDocument) { _ = try await store.transact { try $0.create(unlistedCount) } }
                try await store.checkInvariants()
            }
        }
    }

    @Test("An attachment is copied with a document to another id; bytes of another database are refused")
    func carriedAttachments() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let (store, other) = (try await manager.datastore(named: "a"), try await manager.datastore(named: "b"))
                let document = try await store.create(
                    Document(id: "x", body: [:], attachments: ["p": .data([1], contentType: "t/p")]))
                let copy = try await store.create(
                    Document(id: "y", body: [:], attachments: ["q": try #require(document.attachments["p"])]))
                #expect(copy.attachments["q"]?.length == 1)
                await expectFailure(.missingStub) {
                    _ = try await other.create(Document(id: "x", body: [:], attachments: document.attachments))
                }
                try await store.checkInvariants()
            }
        }
    }
}
