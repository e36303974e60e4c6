//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitQuery
import GodwitStore

/// Measures queries of the library.
struct QueryBenchmarks {
    let count: Int

    func run() async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path)
            let store = try await manager.datastore(named: "bench")
            try await fill(store)
            try await build(store)
            try await EqualityBenchmarks(count: count).compare(store)
            try await measureOthers(store)
            try await WordBenchmarks(count: count).run(in: store)
            try await measureLive(store)
            await manager.close()
        }
    }

    static func body(_ number: Int) -> String {
        // The words occur in one of 997 documents, in one of 1 999, in one of 89, in half of them, and in one or two
        // thirds.
        let words =
            "gull\(number % 997) tern\(number * 7 % 1_999) dune\(number % 89) tide\(number % 2) wave\(number % 3 / 2)"
        let note = words + " " + String(repeating: "x", count: max(1, 200 - words.utf8.count))
        return #"{"type":"trip","km":\#(number),"route":\#(number % 1_000),"from":"Bodega Bay","note":"\#(note)"}"#
    }

    func fill(_ store: Datastore) async throws {
        for start in stride(from: 0, to: count, by: 1_000) {
            let documents = try (start..<min(start + 1_000, count)).map { number in
                let text = #"{"_id":"\#(StoreBenchmarks.id(number))",\#(Self.body(number).dropFirst())"#
                return try IncomingDocument(parsing: Array(text.utf8), purpose: .edit, limits: .default)
            }
            _ = try await store.writeEach(documents, isReplicated: false)
        }
    }

    private func build(_ store: Datastore) async throws {
        var times: [Double] = []
        for round in 0..<3 {
            let cpu = cpuSeconds
            let time = try await seconds {
                try await store.ensureIndex(["route"], named: "route-\(round)")
                for index in try store.indexDescriptions() { _ = try await store.catchUp(index) }
            }
            times.append(time)
            report(
                "index of one field over \(count) documents",
                "\(text(Double(count) / time))/s, \(text((cpuSeconds - cpu) / Double(count) * 1e6, 1)) µs of CPU a document"
            )
            if round > 0 { try await store.deleteIndex("route-\(round)") }
        }
    }

    private func pages(_ store: Datastore, _ query: FindQuery) async throws {
        let page = try await store.find(query)
        precondition(page.documents.count == query.limit)
    }

    // MARK: Other queries

    private func measureOthers(_ store: Datastore) async throws {
        try await store.ensureIndex(["km"], named: "km")
        for index in try store.indexDescriptions() { _ = try await store.catchUp(index) }
        let works: [(String, Int, @Sendable (Int) async throws -> Void)] = [
            (
                "range with sort, limit 25", 2_000,
                { number in
                    try await pages(
                        store,
                        FindQuery(
                            selector: ["route": ["$gte": .integer(Int64(number % 900))]], sort: ["route"], limit: 25))
                }
            ),
            (
                "$or of two indexed fields, limit 25", 2_000,
                { number in
                    let sides: JSONValue = [
                        ["route": .integer(Int64(number % 1_000))], ["km": .integer(Int64(number))],
                    ]
                    try await pages(store, FindQuery(selector: ["$or": sides], limit: 25))
                }
            ),
            (
                "count of 100 through an index", 2_000,
                { number in
                    _ = try await store.count(["route": .integer(Int64(number % 1_000))])
                }
            ),
            (
                "two fields of 25, covered", 2_000,
                { number in
                    _ = try await store.find(
                        FindQuery(selector: ["route": .integer(Int64(number % 1_000))], fields: ["_id", "route"]))
                }
            ),
            (
                "scan with $regex", 5,
                { _ in _ = try await store.find(FindQuery(selector: ["from": ["$regex": "^Nome"]])) }
            ),
        ]
        for (name, times, work) in works {
            let cpu = cpuSeconds
            let each = try await perQuery(times, work)
            let one = (cpuSeconds - cpu) / Double(times)
            let scanned =
                times < 10
                ? ", \(text(Double(count) / each)) documents/s, \(text(one / Double(count) * 1e6, 2)) µs of CPU each"
                : ""
            report(name, "\(text(each * 1e6)) µs\(scanned)")
        }
    }

    // MARK: Live

    /// Measures writes that do not affect a live query whose results are all documents.
    private func measureLive(_ store: Datastore) async throws {
        let (writes, started) = (500, AsyncStream<Void>.makeStream())
        let query = FindQuery(selector: ["type": "trip"], limit: count)
        let observer = Task {
            var isFirst = true
            for try await _ in store.observe(query) where isFirst {
                isFirst = false
                started.continuation.yield()
            }
        }
        for await _ in started.stream { break }
        let beside = try await unrelated(writes, "beside", to: store)
        observer.cancel()
        _ = await observer.result
        let alone = try await unrelated(writes, "alone", to: store)
        report(
            "a live query over \(count) documents",
            "\(text((beside - alone) * 1e6)) µs of CPU for a write that does not concern it "
                + "(\(text(alone * 1e6)) µs the write itself)")
    }

    /// Returns the CPU time of one write.
    private func unrelated(_ writes: Int, _ prefix: String, to store: Datastore) async throws -> Double {
        let cpu = cpuSeconds
        for number in 0..<writes {
            _ = try await store.create(Document(id: "\(prefix)-\(number)", body: ["type": "other"]))
        }
        // Includes the work that follows the last write.
        try await Task.sleep(for: .milliseconds(200))
        return (cpuSeconds - cpu) / Double(writes)
    }
}
