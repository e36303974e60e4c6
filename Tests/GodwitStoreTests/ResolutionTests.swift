//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import TestKit
import Testing

@testable import GodwitStore

@Suite("Resolving conflicts")
struct ResolutionTests {
    private func conflict(_ store: Datastore, _ id: String = "a") async throws {
        try await store.graft(
            #"{"_id":"\#(id)","_revisions":{"start":1,"ids":["a"]},"name":"x","tags":["p","q"],"n":1,"gone":1}"#)
        try await store.graft(
            #"{"_id":"\#(id)","_revisions":{"start":2,"ids":["b","a"]},"name":"y","tags":["p","q","r"],"n":1,"gone":1}"#
        )
        try await store.graft(
            #"{"_id":"\#(id)","_revisions":{"start":2,"ids":["c","a"]},"name":"x","tags":["q"],"n":2}"#)
        try await store.graft(
            #"{"_id":"\#(id)","_deleted":true,"_revisions":{"start":2,"ids":["d","a"]}}"#)
    }

    @Test("A resolver sees the live leaves, the winner first, and their common ancestor")
    func sides() async throws {
        try await withDatastore { store in
            try await conflict(store)
            let found = try #require(try store.conflict(of: "a"))
            #expect(found.leaves.map { $0.revision?.description } == ["2-c", "2-b"])
            #expect(found.ancestor?.revision?.description == "1-a")
            #expect(try store.conflictedIDs() == ["a"])
            try await store.compact()
            #expect(try store.conflict(of: "a")?.ancestor == nil)
        }
    }

    @Test("One leaf stays, the others are deleted")
    func keep() async throws {
        try await withDatastore { store in
            try await conflict(store)
            let kept = try await store.resolveConflict(
                of: "a", by: ConflictResolver { .keep($0.leaves[1].revision!) })
            #expect(kept?.revision?.description == "2-b")
            #expect(try store.leaves(of: "a").map(\.description) == ["2-b"])
            #expect(try store.conflictedIDs() == [])
            // No conflict remains.
            #expect(try await store.resolveConflict(of: "a", by: .keepWinner)?.revision?.description == "2-b")
        }
    }

    @Test("A three-way merge applies the changes of both leaves", arguments: [false, true])
    func merge(arraysAsSets: Bool) async throws {
        try await withDatastore { store in
            try await conflict(store)
            let merged = try await store.resolveConflict(
                of: "a", by: .threeWayMerge(arraysOfScalarsAsSets: arraysAsSets))
            let body = try #require(merged?.body)
            #expect(body["name"] == "y" && body["n"] == 2 && body["gone"] == nil)
            #expect(body["tags"] == (arraysAsSets ? ["q", "r"] : ["q"]))
            #expect(merged?.revision?.generation == 3)
            #expect(try store.leaves(of: "a").count == 1)
        }
    }

    @Test("Two devices that merge the same conflict create the same revision")
    func convergence() async throws {
        try await withDatastore { one in
            try await withDatastore { other in
                try await conflict(one)
                try await conflict(other)
                let first = try await one.resolveConflict(of: "a", by: .threeWayMerge())
                let second = try await other.resolveConflict(of: "a", by: .threeWayMerge())
                #expect(first?.revision == second?.revision)
                #expect(try one.leafTexts("a") == other.leafTexts("a"))
            }
        }
    }

    @Test("The newest by a member is kept")
    func newest() async throws {
        try await withDatastore { store in
            try await conflict(store)
            #expect(try await store.resolveConflict(of: "a", by: .newest(by: "n"))?.revision?.description == "2-c")
            try await conflict(store, "b")
            #expect(try await store.resolveConflict(of: "b", by: .newest(by: "name"))?.revision?.description == "2-b")
        }
    }

    @Test("A resolver that gives up, throws or keeps an unknown revision changes nothing")
    func nothing() async throws {
        struct Refusal: Error {}
        try await withDatastore { store in
            try await conflict(store)
            let sequence = store.updateSequence
            #expect(try await store.resolveConflict(of: "a", by: ConflictResolver { _ in .leave }) == nil)
            await #expect(throws: Refusal.self) {
                try await store.resolveConflict(of: "a", by: ConflictResolver { _ in throw Refusal() })
            }
            await expectFailure(.invalidRevision) {
                try await store.resolveConflict(of: "a", by: ConflictResolver { _ in .keep(try revision("9-z")) })
            }
            #expect(store.updateSequence == sequence)
        }
    }

    @Test("A merge with a new attachment and one of the other leaf")
    func attachments() async throws {
        try await withDatastore { store in
            try await store.graft(
                #"{"_id":"a","_revisions":{"start":1,"ids":["b"]},"_attachments":{"b":{"data":"QkI="}}}"#)
            try await store.graft(
                #"{"_id":"a","_revisions":{"start":1,"ids":["c"]},"_attachments":{"c":{"data":"Q0M="}}}"#)
            let merged = try await store.resolveConflict(
                of: "a",
                by: ConflictResolver { conflict in
                    var merged = conflict.threeWayMerge()
                    merged.attachments["n"] = .data([1], contentType: "t/n")
                    return .merge(merged)
                })
            #expect(merged?.attachments.keys.sorted() == ["b", "c", "n"])
            #expect(merged?.attachments["c"]?.revisionPosition == 1)
        }
    }

    @Test("A registered resolver resolves existing and new conflicts, and names the source of the writes")
    func automatic() async throws {
        try await withDatastore { store in
            try await conflict(store, "here")
            try store.setConflictResolver(.threeWayMerge())
            try await conflict(store, "later")
            for id in ["here", "later"] {
                while try store.leaves(of: id).count > 1 { await Task.yield() }
                #expect(try store.document(id).revision?.generation == 3)
            }
        }
    }

    @Test(
        "A conflict is resolved automatically also if its transaction continues after the write"
    )
    func longWrite() async throws {
        try await withDatastore { store in
            try store.setConflictResolver(.keepWinner)
            try await store.graft("a", "a")
            let sides = try ["b", "c"].map { hash in
                try incoming(
                    #"{"_id":"a","_revisions":{"start":2,"ids":["\#(hash)","a"]}}"#, purpose: .replication,
                    limits: store.limits)
            }
            try await store.transact { transaction in
                for side in sides { _ = try transaction.graft(side) }
                Thread.sleep(forTimeInterval: 0.1)
            }
            try await eventually { try store.leaves(of: "a").count == 1 }
        }
    }

    @Test("A full queue requests the resolution of all conflicted documents")
    func fullQueue() {
        let resolution = AutomaticResolution()
        for number in 0..<StoreLimits.resolutionsWaitingMax { resolution.add("\(number)") }
        #expect(!resolution.takeAll())
        resolution.add("left out")
        #expect(resolution.takeAll())
        #expect(!resolution.takeAll())
        var count = 0
        while resolution.next() != nil { count += 1 }
        #expect(count == StoreLimits.resolutionsWaitingMax)
    }

    @Test("A document that is in conflict again too often is left in conflict and reported")
    func fight() async throws {
        var limits = StoreLimits()
        limits.resolutionRoundsMax = 2
        try await withDatastore(limits: limits) { store in
            let reported = Shared<[String]>([])
            try store.setConflictResolver(.keepWinner) { id, _ in reported.change { $0.append(id) } }
            try await store.graft("a", "a")
            var round = 0
            while reported.value.isEmpty, round < 100 {
                let settled = reported.value.count
                try await store.graft("a", path: [try revision("1-x\(round)")])
                while try store.leaves(of: "a").count > 1, reported.value.count == settled { await Task.yield() }
                round += 1
            }
            #expect(round == 3)
            #expect(reported.value == ["a"])
            #expect(try store.leaves(of: "a").count == 2)
        }
    }
}
