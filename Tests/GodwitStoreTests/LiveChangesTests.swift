//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Live changes")
struct LiveChangesTests {
    @Test("Ten thousand waiting readers see every change once, from memory")
    func manyObservers() async throws {
        try await withDatastore { store in
            let observers = 10_000
            try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<observers {
                    group.addTask {
                        var ids: [String] = []
                        for try await change in store.changes(limit: 3) { ids.append(change.id) }
                        return ids
                    }
                }
                for id in ["a", "b", "c"] {
                    while store.hub.waiterCount < observers { await Task.yield() }
                    _ = try await store.create(Document(id: id, body: [:]))
                }
                var count = 0
                for try await ids in group {
                    #expect(ids == ["a", "b", "c"])
                    count += 1
                }
                #expect(count == observers)
            }
            #expect(store.hub.waiterCount == 0)
        }
    }

    @Test("A change names its source, and contains its document if requested")
    func sources() async throws {
        try await withDatastore { store in
            let seen = Task {
                var sources: [ChangeSource?] = []
                for try await change in store.changes(limit: 2, withDocuments: true) {
                    #expect(change.document?.body["from"] != nil)
                    sources.append(change.source)
                }
                return sources
            }
            while store.hub.waiterCount == 0 { await Task.yield() }
            _ = try await store.create(Document(id: "a", body: ["from": "here"]))
            while store.hub.waiterCount == 0 { await Task.yield() }
            let there = [try incoming(#"{"_id":"b","_rev":"1-x","from":"there"}"#, purpose: .replication)]
            _ = try await store.writeEach(there, isReplicated: true, source: .replication("r1"))
            #expect(try await seen.value == [.local, .replication("r1")])
        }
    }

    @Test("A filter excludes changes, a limit counts the rest, and the feed ends unless it is live")
    func filter() async throws {
        try await withDatastore { store in
            for n in 0..<1_200 { _ = try await store.create(Document(id: "\(n)", body: ["n": .integer(Int64(n))])) }
            var ids: [String] = []
            let feed = store.changes(
                limit: 3, live: false, withDocuments: true,
                where: { ($0.document?.body["n"]?.intValue ?? 0) % 500 == 0 })
            for try await change in feed { ids.append(change.id) }
            #expect(ids == ["0", "500", "1000"])
            var count = 0
            for try await _ in store.changes(live: false) { count += 1 }
            #expect(count == 1_200)
        }
    }

    @Test("A reader that was away longer than the memory reaches reads from the file, and misses nothing")
    func slowObserver() async throws {
        try await withDatastore { store in
            let documents = 3 * StoreLimits.recentChangesMax
            _ = try await store.create(Document(id: "first", body: [:]))
            var feed = store.changes().makeAsyncIterator()
            #expect(try await feed.next()?.id == "first")
            // Another feed waits all the time, so that changes are passed in memory.
            let other = Task {
                var count = 0
                for try await _ in store.changes(limit: documents + 1) { count += 1 }
                return count
            }
            for start in stride(from: 0, to: documents, by: 100) {
                try await store.transact { transaction in
                    for n in start..<start + 100 { _ = try transaction.create(Document(id: "\(n)", body: [:])) }
                }
            }
            var seen: Set<String> = []
            while seen.count < documents { seen.insert(try #require(try await feed.next()).id) }
            #expect(seen.count == documents)
            #expect(try await other.value == documents + 1)
        }
    }

    @Test("A slow reader delays neither writers nor the log")
    func sleepingConsumer() async throws {
        var limits = StoreLimits()
        limits.checkpointPages = 100
        limits.logBytesMax = 4 << 20
        try await withDatastore(limits: limits) { store in
            for n in 0..<600 { _ = try await store.create(Document(id: "\(n)", body: [:])) }
            var feed = store.changes().makeAsyncIterator()
            _ = try await feed.next()
            let text = String(repeating: "x", count: 100_000)
            for n in 0..<200 { _ = try await store.create(Document(id: "big\(n)", body: ["x": .string(text)])) }
            let log = try fileSize(store.database.file.path + "-wal")
            #expect(log < limits.logBytesMax, "\(log)")
            var count = 1
            while count < 800, try await feed.next() != nil { count += 1 }
            #expect(count == 800)
        }
    }
}
