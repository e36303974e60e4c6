//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitQuery
import GodwitSQLite
import GodwitStore

/// Queries of the library, and the one for equality beside bare SQLite with an index on `json_extract` over the same bodies.
struct QueryBenchmarks {
    let count: Int
    private static let rounds = 5

    func run() async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path)
            let store = try await manager.datastore(named: "bench")
            try await fill(store)
            try await build(store)
            try await compareEquality(store)
            try await measureOthers(store)
            try await measureText(store)
            await manager.close()
        }
    }

    private static func body(_ number: Int) -> String {
        // Two words of some hundred documents each, one of a thousand and one of half of all.
        let words = "gull\(number % 997) tern\(number * 7 % 1_999) dune\(number % 89) tide\(number % 2)"
        let note = words + " " + String(repeating: "x", count: max(1, 200 - words.utf8.count))
        return #"{"type":"trip","km":\#(number),"route":\#(number % 1_000),"from":"Bodega Bay","note":"\#(note)"}"#
    }

    private func fill(_ store: Datastore) async throws {
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

    // MARK: Beside bare SQLite

    private func compareEquality(_ store: Datastore) async throws {
        let path = NSTemporaryDirectory() + "godwit-bench-" + UUID().uuidString
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let bare = try SQLiteConnection(path: path, access: .readWrite(creating: true))
        defer { bare.close() }
        try bare.configureWriter(synchronous: .full, cacheBytes: 8 << 20)
        try bare.execute(
            "CREATE TABLE t(id TEXT PRIMARY KEY, body TEXT); CREATE INDEX r ON t(json_extract(body, '$.route'))")
        try bare.write {
            let insert = try bare.statement("INSERT INTO t VALUES(?1, ?2)")
            for number in 0..<count {
                insert.bind(StoreBenchmarks.id(number), at: 1)
                insert.bind(Self.body(number), at: 2)
                try insert.run()
            }
        }
        var (ours, theirs, rows): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<Self.rounds {
            theirs.append(try secondsNow { for number in 0..<2_000 { try read(number % 1_000, from: bare) } } / 2_000)
            ours.append(
                try await perQuery(2_000) { number in
                    try await pages(store, FindQuery(selector: ["route": .integer(Int64(number % 1_000))], limit: 25))
                })
            rows.append(
                try await perQuery(2_000) { number in
                    let query = FindQuery(selector: ["route": .integer(Int64(number % 1_000))], limit: 25)
                    let run = try await QueryRun(PreparedQuery(query), in: store)
                    var text = DocumentText()
                    while case let found = try await run.next(), !found.isEmpty {
                        for document in found { document.appendText(showsConflicts: false, to: &text) }
                    }
                    precondition(!text.bytes.isEmpty)
                })
        }
        report(
            "equality, limit 25",
            "\(text(median(ours) * 1e6)) µs as values, \(text(median(rows) * 1e6)) µs as JSON, bare SQLite "
                + "\(text(median(theirs) * 1e6)) µs for the bodies")
    }

    private func read(_ route: Int, from bare: SQLiteConnection) throws {
        let select = try bare.statement("SELECT id, body FROM t WHERE json_extract(body, '$.route') = ?1 LIMIT 25")
        defer { select.reset() }
        select.bind(route, at: 1)
        var found = 0
        while try select.step() { found += select.string(0).isEmpty || select.bytes(1)?.isEmpty != false ? 0 : 1 }
        precondition(found == 25)
    }

    private func perQuery(_ count: Int, _ body: (Int) async throws -> Void) async throws -> Double {
        try await seconds { for number in 0..<count { try await body(number) } } / Double(count)
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

    // MARK: Words

    private func measureText(_ store: Datastore) async throws {
        let time = try await seconds {
            try await store.ensureTextIndex(["note"], named: "words")
            for index in try store.indexDescriptions() { _ = try await store.catchUp(index) }
        }
        report("text index of one field", "\(text(Double(count) / time))/s")
        let searches = [
            ("a word of 100", "gull5"), ("two words", "gull5 tide1"), ("two such words, either", "gull5 OR tern8"),
            ("a word of 1 100", "dune7"), ("a word of half of all", "tide0"),
        ]
        for (name, words) in searches {
            let each = try await perQuery(100) { _ in
                _ = try await store.find(FindQuery(selector: ["$text": .string(words)], limit: 25))
            }
            report("$text, \(name)", "\(text(each * 1e3, 2)) ms")
        }
    }
}
