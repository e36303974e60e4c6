//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import TestKit
import Testing

@testable import GodwitStore

@Suite("Purge and expiry")
struct PurgeTests {
    @Test("In every small tree, purged leaves are removed with the ancestors that only they have")
    func smallWorlds() throws {
        for world in TreeWorld.all(nodesMax: 6) {
            for bits in 1..<(1 << world.leafIndices.count) {
                let purged = world.leafIndices.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
                var tree = RevisionTree()
                for position in world.parents.indices { tree.graft(position, of: world) }
                let gone = tree.remove(leaves: Set(purged.map { world.revisions[$0] }))
                let staying = world.leafIndices.filter { !purged.contains($0) }
                let kept = Set(staying.flatMap { world.path($0) })
                #expect(Set(tree.nodes.map(\.revision)) == kept, "\(world) without \(purged)")
                #expect(Set(gone.map(\.revision)) == Set(world.revisions).subtracting(kept))
            }
        }
    }

    @Test("A purged leaf is removed, the next one wins, and the feed shows it")
    func winner() async throws {
        try await withDatastore { store in
            try await store.graft("a", "ca")
            try await store.graft("a", "ba")
            let sequence = store.updateSequence
            let (b, c) = (try revision("2-b"), try revision("2-c"))
            #expect(try await store.purge("a", revisions: [c, try revision("1-a"), try revision("9-x")]) == [c])
            #expect(try store.leaves(of: "a") == [b])
            #expect(try store.conflictedIDs() == [])
            #expect(try store.changedIDs(after: sequence.number) == ["a"])
            #expect(try store.info().purgeSequence == 1)
            // The revision is not known any more, so a peer may bring it back.
            #expect(try store.missing([(id: "a", revisions: [b, c])]).map(\.missing) == [[c]])
            try await store.graft("a", "ca")
            #expect(try store.leaves(of: "a") == [c, b])
        }
    }

    @Test("A document without leaves is removed with its attachments, old bodies and long history")
    func wholeDocument() async throws {
        try await withDatastore { store in
            var document = try await store.create(
                Document(id: "a", body: ["n": 0], attachments: ["x": .data([1, 2, 3], contentType: "t/x")]))
            for n in 1...80 {
                document.body["n"] = .integer(Int64(n))
                document = try await store.update(document)
            }
            try await store.graft("a", "zyx")
            _ = try await store.create(Document(id: "b", body: [:]))
            #expect(try await store.purge("a").count == 2)
            await expectFailure(.notFound) { _ = try store.document("a") }
            #expect(try store.changedIDs() == ["b"])
            try await store.compact()
            #expect(try store.read { try $0.storedUses() } == [:])
            #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM ancestry") } == 0)
            #expect(try await store.purge("a") == [])
            #expect(try await store.create(Document(id: "a", body: [:])).revision?.generation == 1)
        }
    }

    @Test("A live feed continues after a purge")
    func feed() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: [:]))
            let seen = Task {
                var ids: [String] = []
                for try await change in store.changes(limit: 2) { ids.append(change.id) }
                return ids
            }
            while store.hub.waiterCount == 0 { await Task.yield() }
            try await store.purge("a")
            while store.hub.waiterCount == 0 { await Task.yield() }
            _ = try await store.create(Document(id: "b", body: [:]))
            #expect(try await seen.value == ["a", "b"])
        }
    }

    @Test("The number of recorded purges is limited")
    func remembered() async throws {
        var limits = StoreLimits()
        limits.purgesRememberedMax = 3
        try await withDatastore(limits: limits) { store in
            for n in 0..<10 {
                _ = try await store.create(Document(id: "\(n)", body: [:]))
                try await store.purge("\(n)")
            }
            #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM purges") } == 3)
            #expect(try store.info().purgeSequence == 10)
        }
    }

    // MARK: Expiry

    private func waitUntilGone(_ id: String, in store: Datastore) async throws {
        try await eventually { (try? store.document(id)) == nil }
    }

    @Test("A document expires at its time, earlier ones first, and its revisions count as known")
    func expiry() async throws {
        try await withDatastore { store in
            let a = try await store.create(Document(id: "a", body: ["n": 1]))
            _ = try await store.create(Document(id: "b", body: [:]))
            _ = try await store.create(Document(id: "c", body: [:]))
            try await store.expire("b", at: Date(timeIntervalSinceNow: 3_600))
            try await store.expire("c", at: Date(timeIntervalSinceNow: 3_600))
            try await store.expire("c", at: nil)
            try await store.expire("a", at: Date(timeIntervalSinceNow: 0.05))
            try await waitUntilGone("a", in: store)
            #expect(try store.expiration(of: "b") != nil && store.expiration(of: "c") == nil)
            let left = try store.documents(["a", "b", "c"]).map { $0?.id }
            #expect(left == [nil, "b", "c"])
            let revision = try #require(a.revision)
            #expect(try store.missing([(id: "a", revisions: [revision])]).isEmpty)
            // The next pull sends the document again, but it is not inserted.
            #expect(try await !store.graft(#"{"_id":"a","_rev":"\#(revision)","n":1}"#))
            await expectFailure(.notFound) { _ = try store.document("a") }
            // When a user creates it again, it is a normal document.
            #expect(try await store.create(Document(id: "a", body: ["n": 1])).revision == revision)
        }
    }

    @Test("Any date is accepted: extreme dates are clamped, and a date that is not a number is now")
    func extremeDates() async throws {
        try await withDatastore { store in
            for (id, seconds) in [("late", 1e300), ("never", .infinity), ("early", -1e300), ("none", .nan)] {
                _ = try await store.create(Document(id: id, body: [:]))
                try await store.expire(id, at: Date(timeIntervalSince1970: seconds))
            }
            try await waitUntilGone("early", in: store)
            try await waitUntilGone("none", in: store)
            #expect(try store.documents(["late", "never"]).map { $0?.id } == ["late", "never"])
        }
    }

    @Test("A document that expires while the file is closed is removed at the next start, and later forgotten")
    func restart() async throws {
        var limits = StoreLimits()
        limits.expiredRememberedDays = 0
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                _ = try await store.create(Document(id: "a", body: [:]))
                _ = try await store.create(Document(id: "b", body: [:]))
                try await store.expire("a", at: Date(timeIntervalSinceNow: 0.1))
                try await store.expire("b", at: Date(timeIntervalSinceNow: 0.3))
            }
            try await directory.withManager(limits: limits) { manager in
                let store = try await manager.datastore(named: "test")
                try await waitUntilGone("a", in: store)
                try await waitUntilGone("b", in: store)
                _ = try await store.create(Document(id: "c", body: [:]))
                try await store.expire("c", at: Date(timeIntervalSinceNow: 0.05))
                try await waitUntilGone("c", in: store)
                #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM expired") } <= 1)
                try await store.checkInvariants()
            }
        }
    }

    @Test(
        "After one document expired, the next expiration is awaited, without writes in between",
        .endsWhenHung)
    func rest() async throws {
        try await withDatastore { store in
            for id in ["a", "b"] { _ = try await store.create(Document(id: id, body: [:])) }
            try await store.expire("b", at: Date(timeIntervalSinceNow: 3_600))
            try await store.expire("a", at: Date())
            try await waitUntilGone("a", in: store)
            try await eventually { store.database.lastUse.secondsAgo >= 0.2 }
            #expect(try store.document("b").id == "b")
        }
    }

    @Test("A missing document cannot expire")
    func unknown() async throws {
        try await withDatastore { store in
            await expectFailure(.notFound) { try await store.expire("a", at: Date()) }
        }
    }
}
