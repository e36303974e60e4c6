//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import Foundation
import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitSQLite
import GodwitSelector
import TestKit
import Testing

@testable import GodwitStore

/// Prevents a write from ending.
private final class Hold: Sendable {
    private let state = Mutex(false)

    var isOver: Bool { state.withLock { $0 } }

    func end() { state.withLock { $0 = true } }
}

extension Datastore {
    /// Creates documents whose `n` cycles through 0, 1 and 2.
    fileprivate func fill(with count: Int) async throws {
        try await transact { transaction in
            for number in 0..<count {
                _ = try transaction.create(Document(body: ["n": .integer(Int64(number % 3))]))
            }
        }
    }
}

@Suite("Maintenance of indexes")
struct IndexUpkeepTests {
    @Test("An index with keys of another collation version is rebuilt when its database is opened")
    func collationVersion() async throws {
        let path = NSTemporaryDirectory() + "godwit-query-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        var number: Int64 = 0
        for round in 0..<3 {
            let manager = try DatastoreManager(directory: path, durability: .normal)
            let store = try await manager.datastore(named: "test")
            if round == 0 {
                for id in ["b", "a"] { _ = try await store.create(Document(id: id, body: ["t": .string(id)])) }
                try await store.ensureIndex(["t"], named: "t")
                try await store.catchUpAll()
                number = try store.indexDescriptions()[0].number
                try await store.transact { transaction in
                    try transaction.connection.execute(
                        "UPDATE indexes SET definition = replace(definition, '\(CollationKey.version)', '0.0.0.0')")
                }
            } else {
                // The first query may run before the index is rebuilt, and then scans all documents.
                #expect(try await store.ids(["t": ["$gt": "a"]]) == ["b"])
                while try store.indexDescriptions()[0].number == number { await Task.yield() }
                try await store.catchUpAll()
                #expect(try store.indexes()[1].definition == ["fields": [["t": "asc"]]])
                #expect(try await store.ids([:], sort: ["t"]) == ["a", "b"])
                #expect(try await store.check().isEmpty)
                number = round == 1 ? -1 : number
            }
            await manager.close()
        }
    }

    @Test("The batches of a build grow if writers are faster than it, and not if it catches up")
    func pace() {
        var pace = CatchUpSliceSize()
        for step in 0..<64 { pace.note(100_000 - Int64(step) * 1_000) }
        #expect(pace.factor == 1)
        for _ in 0..<24 { pace.note(200_000) }
        #expect(pace.factor > 2)
        for _ in 0..<1_000 { pace.note(300_000) }
        #expect(pace.factor == 32)
    }

    @Test("An index is built during continuous writes")
    func besideWriters() async throws {
        var limits = StoreLimits()
        limits.indexedPerCommit = 200
        try await withDatastore(limits: limits) { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        var round = 0
                        while !Task.isCancelled {
                            round += 1
                            let first = round
                            try await store.transact { transaction in
                                for number in 0..<50 {
                                    _ = try transaction.create(
                                        Document(id: "\(task)-\(first)-\(number)", body: ["n": .integer(Int64(number))])
                                    )
                                }
                            }
                        }
                    }
                }
                // So many documents that ten of them have the lowest number, and that the index is built in several
                // steps.
                while try store.documentCount < 20 * 50 { try await Task.sleep(for: .milliseconds(10)) }
                try await store.ensureIndex(["n"], named: "n")
                let found = try await store.find(FindQuery(selector: ["n": ["$gte": 0]], sort: ["n"], limit: 10))
                #expect(found.warning == nil && found.documents.allSatisfy { $0.body["n"] == 0 })
                group.cancelAll()
                try? await group.waitForAll()
            }
        }
    }

    @Test("A query waits for an index that can serve it, unless it asks not to")
    func waiting() async throws {
        var limits = StoreLimits()
        limits.indexedPerCommit = 20
        try await withDatastore(limits: limits) { store in
            try await store.fill(with: 3_000)
            try await store.ensureIndex(["n"], named: "n")
            // During another write the index cannot be built.
            let hold = Hold()
            let write = Task {
                try await store.transact { _ in
                    while !hold.isOver { usleep(1_000) }
                }
            }
            var query = FindQuery(selector: ["n": 1])
            query.awaitsIndexes = false
            let hasty = try await store.find(query)
            #expect(hasty.documents.count == 25)
            #expect(
                hasty.warning
                    == "The index _design/n, n is being built. Until it is complete, every document is read.")
            // An index on another field does not help.
            let other = try await store.find(FindQuery(selector: ["m": 1]))
            #expect(other.documents.isEmpty && other.warning?.hasPrefix("No matching index found") == true)
            let waiting = Task { try await store.find(FindQuery(selector: ["n": 1])) }
            hold.end()
            let found = try await waiting.value
            #expect(found.documents.count == 25)
            #expect(found.warning == nil)
            try await write.value
        }
    }

    @Test("A query that waits for an index ends with its task, and the build continues")
    func cancelling() async throws {
        var limits = StoreLimits()
        limits.indexedPerCommit = 1
        try await withDatastore(limits: limits) { store in
            try await store.fill(with: 10_000)
            try await store.ensureIndex(["n"], named: "n")
            // The sorted queries need the index; the others would scan all documents after a while.
            let queries = (0..<20).map { number in
                Task { try await store.find(FindQuery(selector: ["n": 1], sort: number < 10 ? [] : ["n"])) }
            }
            try await Task.sleep(for: .milliseconds(100))
            let position = try store.indexDescriptions()[0].sequence
            for query in queries { query.cancel() }
            for query in queries { await #expect(throws: (any Error).self) { try await query.value } }
            // Without the cancellation they would wait until all 10 000 documents are indexed.
            #expect(try store.indexDescriptions()[0].sequence < 10_000)
            while try store.indexDescriptions()[0].sequence == position { try await Task.sleep(for: .milliseconds(10)) }
        }
    }

    @Test("Queries find the same while their index is created and deleted")
    func comingAndGoing() async throws {
        try await withDatastore { store in
            try await store.transact { transaction in
                for number in 0..<90 {
                    _ = try transaction.create(Document(body: ["n": .integer(Int64(number % 3))]))
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled {
                        try await store.ensureIndex(["n"], named: "n")
                        try await store.deleteIndex("n")
                    }
                }
                for _ in 0..<(TestScale.isLong ? 1_000 : 200) {
                    let found = try await store.find(FindQuery(selector: ["n": 1], limit: 200))
                    #expect(found.documents.count == 30)
                    let sorted = try await store.find(FindQuery(selector: [:], sort: ["n"], limit: 300))
                    #expect(sorted.documents.count == 90)
                    #expect(try await store.count(["n": 2]) == 30)
                }
                group.cancelAll()
                try? await group.waitForAll()
            }
        }
    }

    @Test("Design documents of owners are in no index, neither by writes nor by builds")
    func ownersDesigns() async throws {
        try await withDatastore { store in
            let ana = store.scoped(to: try .owner("ana"))
            _ = try await ana.create(Document(id: "_design/mine", body: ["n": 1]))
            _ = try await ana.create(Document(id: "a", body: ["n": 1]))
            try await store.ensureIndex(["n"], named: "n")
            try await store.ensureTextIndex(named: "words")
            _ = try await ana.create(Document(id: "_design/other", body: ["n": 1]))
            #expect(try await ana.count(["n": 1]) == 1)
            // The first count uses the index, the second one a scan.
            #expect(try await store.count(["n": 1]) == 1)
            #expect(try await store.count(["n": ["$mod": [2, 1]]]) == 1)
        }
    }
}
