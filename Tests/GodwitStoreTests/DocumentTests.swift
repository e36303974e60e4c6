//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Documents")
struct DocumentTests {
    @Test func createReadUpdateDelete() async throws {
        try await withDatastore { store in
            var trip = try await store.create(Document(id: "trip", body: ["km": 42]))
            #expect(trip.id == "trip" && trip.revision?.generation == 1)
            #expect(try store.document("trip").body["km"] == 42)
            try await store.checkInvariants()

            trip.body["km"] = 43
            trip = try await store.update(trip)
            #expect(trip.revision?.generation == 2)
            #expect(try store.document("trip").body["km"] == 43)
            try await store.checkInvariants()

            let tombstone = try await store.delete(trip)
            #expect(tombstone.generation == 3)
            await expectFailure(.deleted) { _ = try store.document("trip") }
            #expect(try store.document("trip", at: tombstone).isDeleted)
            #expect(try store.leaves(of: "trip").isEmpty)
            let info = try store.info()
            #expect(info.documentCount == 0 && info.deletedCount == 1 && info.bodyBytes == 2)
            #expect(info.updateSequence.number == 3 && store.updateSequence == info.updateSequence)
        }
    }

    @Test("A tombstone keeps the members that a deletion names, and no others")
    func deletionWithMembers() async throws {
        try await withDatastore { store in
            let trip = try await store.create(Document(id: "trip", body: ["type": "trip", "km": 42]))
            let tombstone = try await store.delete(trip, keeping: ["type": "trip"])
            await expectFailure(.deleted) { _ = try store.document("trip") }
            let kept = try store.document("trip", at: tombstone)
            #expect(kept.isDeleted && kept.body == ["type": "trip"])
            await expectFailure(.conflict) { try await store.delete(trip, keeping: ["type": "trip"]) }
            try await store.checkInvariants()
        }
    }

    @Test func documentWithoutID() async throws {
        try await withDatastore { store in
            let first = try await store.create(Document(body: [:]))
            let second = try await store.create(Document(body: [:]))
            let ids = try [#require(first.id), #require(second.id)]
            #expect(ids.allSatisfy { $0.count == 32 && [UInt8](hexadecimal: $0.utf8) != nil })
            #expect(ids[0] < ids[1])
            #expect(try store.documentCount == 2)
        }
    }

    @Test("An existing id is a conflict, and nothing is written")
    func takenID() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: ["n": 1]))
            await expectFailure(.conflict) { _ = try await store.create(Document(id: "a", body: ["n": 2])) }
            await expectFailure(.conflict) { try await store.save(#"{"_id":"a","n":3}"#) }
            await expectFailure(.conflict) { try await store.save(#"{"_id":"a","_deleted":true}"#) }
            #expect(try store.document("a").body["n"] == 1)
            #expect(store.updateSequence.number == 1)
        }
    }

    @Test("A revision that is not a leaf is a conflict, and nothing is written")
    func staleRevision() async throws {
        try await withDatastore { store in
            let first = try await store.create(Document(id: "a", body: ["n": 1]))
            let second = try await store.update(first)
            await expectFailure(.conflict) { _ = try await store.update(first) }
            await expectFailure(.conflict) { try await store.delete(first) }
            await expectFailure(.conflict) { try await store.save(#"{"_id":"a","_rev":"2-unknown"}"#) }
            await expectFailure(.conflict) { try await store.save(#"{"_id":"new","_rev":"1-a"}"#) }
            #expect(try store.document("a").revision == second.revision)
            #expect(store.updateSequence.number == 2)

            try await store.delete(second)
            await expectFailure(.conflict) { _ = try await store.update(second) }
            await expectFailure(.conflict) { try await store.delete(second) }
            #expect(store.updateSequence.number == 3)
        }
    }

    @Test("Creating a deleted document again continues from its tombstone")
    func recreate() async throws {
        try await withDatastore { store in
            let first = try await store.create(Document(id: "a", body: ["n": 1]))
            let tombstone = try await store.delete(first)
            let again = try await store.create(Document(id: "a", body: ["n": 2]))
            let revision = try #require(again.revision)
            #expect(revision.generation == 3)
            let tree = try store.readTogether { try $0.fullTree(of: store.row("a")) }
            #expect(tree.path(from: 2) == [revision, tombstone, first.revision])
            #expect(tree.nodes.map(\.isDeleted) == [false, true, false])
            try await store.checkInvariants()

            let second = try await store.delete(again)
            let third = try await store.save(#"{"_id":"a","_rev":"\#(second)","n":3}"#)
            #expect(third.generation == 5)
            #expect(try store.documentCount == 1)
        }
    }

    @Test("A document can be created as deleted")
    func createdDeleted() async throws {
        try await withDatastore { store in
            let revision = try await store.save(#"{"_id":"a","_deleted":true,"why":"x"}"#)
            #expect(revision.generation == 1)
            #expect(try store.document("a", at: revision).body["why"] == "x")
            #expect(try store.info().deletedCount == 1)
        }
    }

    @Test func unknownDocuments() async throws {
        try await withDatastore { store in
            await expectFailure(.notFound) { _ = try store.document("a") }
            await expectFailure(.notFound) { _ = try store.leaves(of: "a") }
            await expectFailure(.notFound) { _ = try store.document("a", at: revision("1-a")) }
            _ = try await store.create(Document(id: "a", body: [:]))
            await expectFailure(.notFound) { _ = try store.document("a", at: revision("1-a")) }
            await expectFailure(.invalidDocument) { _ = try await store.update(Document(id: "a", body: [:])) }
            await expectFailure(.invalidDocument) { try await store.delete(Document(id: "a", body: [:])) }
        }
    }

    @Test(
        "A body must not have a member that begins with an underscore",
        arguments: [
            "_id", "_rev", "_deleted", "_x", "_", "_attachments", "_conflicts", "_local_seq", "_revs_info",
        ])
    func underscoredMembers(name: String) async throws {
        try await withDatastore { store in
            for value in ["a", false, .null, [:]] as [JSONValue] {
                await expectFailure(.invalidDocument) {
                    _ = try await store.create(Document(id: "a", body: JSONObject([(name, value)])))
                }
            }
            #expect(store.updateSequence.number == 0)
        }
    }

    @Test("A number that JSON does not have, and a body above the limit, are refused")
    func refusedBodies() async throws {
        var limits = StoreLimits()
        limits.bodyBytesMax = 20
        try await withDatastore(limits: limits) { store in
            for value in [Double.nan, .infinity, -.infinity] {
                await expectFailure(.invalidJSON) { _ = try await store.create(Document(body: ["a": .double(value)])) }
            }
            await expectFailure(.documentTooLarge) {
                _ = try await store.create(Document(body: ["a": "0123456789abcdef"]))
            }
            _ = try await store.create(Document(body: ["a": "0123456789ab"]))
            #expect(store.updateSequence.number == 1)
        }
    }

    @Test(
        "Ids",
        arguments: [
            ("", false), ("_a", false), ("_design", false), ("_design/", false), ("_design/a", true),
            ("_local/a", false),
            ("a/b c?", true), ("é", true), ("\0", true), (String(repeating: "x", count: 7_168), true),
            (String(repeating: "x", count: 7_169), false),
        ])
    func ids(id: String, isValid: Bool) async throws {
        try await withDatastore { store in
            if isValid {
                _ = try await store.create(Document(id: id, body: ["a": 1]))
                #expect(try store.document(id).id == id)
            } else {
                await expectFailure(.invalidDocumentID) { _ = try await store.create(Document(id: id, body: [:])) }
            }
        }
    }

    @Test("Ids that are equal in Unicode are two documents")
    func canonicallyEquivalentIDs() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "\u{E9}", body: ["n": 1]))
            _ = try await store.create(Document(id: "e\u{301}", body: ["n": 2]))
            #expect(try store.document("\u{E9}").body["n"] == 1)
            #expect(try store.document("e\u{301}").body["n"] == 2)
        }
    }

    @Test("Old bodies stay readable, and the counters follow every step")
    func history() async throws {
        try await withDatastore { store in
            var document = try await store.create(Document(id: "a", body: ["n": 0]))
            var revisions = [try #require(document.revision)]
            for n in 1..<10 {
                document.body["n"] = JSONValue.integer(Int64(n))
                document = try await store.update(document)
                revisions.append(try #require(document.revision))
                try await store.checkInvariants()
            }
            for (n, revision) in revisions.enumerated() {
                #expect(try store.document("a", at: revision).body["n"]?.intValue == n)
            }
            #expect(try store.documentCount == 1)
        }
    }
}
