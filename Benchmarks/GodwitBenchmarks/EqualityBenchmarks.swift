//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitQuery
import GodwitSQLite
import GodwitStore

/// Compares a query for equality with plain SQLite and an index on `json_extract`, over the same bodies.
///
/// The plain SQLite code is that of a typical app: a table of id, revision and body, a cached prepared statement, a new
/// value and a new read transaction for each query, and 25 rows that are copied and retained. It is measured with the
/// bytes of the bodies alone, with bodies parsed by the library's parser, and with bodies parsed by Foundation.
struct EqualityBenchmarks {
    let count: Int
    private static let rounds = 7
    private static let queries = 2_000
    private static let limit = 25

    private struct Row {
        let id: String
        let revision: String
        let body: [UInt8]
    }

    func run() async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path)
            let store = try await manager.datastore(named: "bench")
            try await QueryBenchmarks(count: count).fill(store)
            try await store.ensureIndex(["route"], named: "route")
            for index in try store.indexDescriptions() { _ = try await store.catchUp(index) }
            try await compare(store)
            await manager.close()
        }
    }

    /// Compares with a datastore that contains the documents of ``QueryBenchmarks`` and an index of `route`.
    func compare(_ store: Datastore) async throws {
        try await withDirectory { path in
            let bare = try SQLiteConnection(path: path + "/bare.sqlite", access: .readWrite(creating: true))
            defer { bare.close() }
            try await fill(bare, from: store)
            let works: [(String, (Int) async throws -> Void)] = [
                ("bare SQLite, id and body looked at", { try glance($0, at: bare) }),
                ("bare SQLite, rows", { Self.expect(try rows($0, of: bare).count) }),
                ("bare SQLite, rows with values by our parser", { Self.expect(try values($0, of: bare).count) }),
                ("bare SQLite, rows with values by Foundation's", { Self.expect(try objects($0, of: bare).count) }),
                ("ours, JSON", { try await text($0, of: store) }),
                ("ours, find(_:)", { try await page($0, of: store) }),
                ("ours, for await", { try await sequence($0, of: store) }),
            ]
            var times = works.map { _ in [Double]() }
            for _ in 0..<Self.rounds {
                for (position, work) in works.enumerated() {
                    times[position].append(try await perQuery(Self.queries, work.1))
                }
            }
            for (work, times) in zip(works, times) {
                report("equality, limit 25: \(work.0)", "\(GodwitBenchmarks.text(median(times) * 1e6, 1)) µs")
            }
        }
    }

    private static func query(_ number: Int) -> FindQuery {
        FindQuery(selector: ["route": .integer(Int64(number % 1_000))], limit: limit)
    }

    private static func expect(_ found: Int) { precondition(found == limit) }

    // MARK: Ours

    private func text(_ number: Int, of store: Datastore) async throws {
        let run = try await QueryRun(PreparedQuery(Self.query(number)), in: store)
        var text = DocumentText()
        while try await run.appendNext(to: &text, separator: ",") > 0 {}
        precondition(!text.bytes.isEmpty)
    }

    private func page(_ number: Int, of store: Datastore) async throws {
        Self.expect(try await store.find(Self.query(number)).documents.count)
    }

    private func sequence(_ number: Int, of store: Datastore) async throws {
        var found = 0
        for try await _ in store.find(["route": .integer(Int64(number % 1_000))], limit: Self.limit) { found += 1 }
        Self.expect(found)
    }

    // MARK: Bare SQLite

    private func fill(_ bare: SQLiteConnection, from store: Datastore) async throws {
        try bare.configureWriter(synchronous: .full, cacheBytes: store.limits.readerCacheBytes)
        try bare.execute(
            "CREATE TABLE t(id TEXT PRIMARY KEY, revision TEXT, body TEXT);"
                + "CREATE INDEX r ON t(json_extract(body, '$.route'))")
        try bare.transaction {
            let insert = try bare.statement("INSERT INTO t VALUES(?1, ?2, ?3)")
            for number in 0..<count {
                let id = StoreBenchmarks.id(number)
                insert.bind(id, at: 1)
                insert.bind(try store.document(id).revision!.description, at: 2)
                insert.bind(QueryBenchmarks.body(number), at: 3)
                try insert.run()
            }
        }
    }

    /// Reads ids and bodies without copying rows and without revisions.
    private func glance(_ number: Int, at bare: SQLiteConnection) throws {
        let select = try bare.statement("SELECT id, body FROM t WHERE json_extract(body, '$.route') = ?1 LIMIT 25")
        defer { select.reset() }
        select.bind(number % 1_000, at: 1)
        var found = 0
        while try select.step() { found += select.string(0).isEmpty || select.bytes(1)?.isEmpty != false ? 0 : 1 }
        Self.expect(found)
    }

    private func rows(_ number: Int, of bare: SQLiteConnection) throws -> [Row] {
        let select = try bare.statement(
            "SELECT id, revision, body FROM t WHERE json_extract(body, '$.route') = ?1 LIMIT ?2")
        defer { select.reset() }
        select.bind(number % 1_000, at: 1)
        select.bind(Self.limit, at: 2)
        var rows: [Row] = []
        while try select.step() {
            rows.append(Row(id: select.string(0), revision: select.string(1), body: select.bytes(2) ?? []))
        }
        return rows
    }

    private func values(_ number: Int, of bare: SQLiteConnection) throws -> [Document] {
        try rows(number, of: bare).map { row in
            Document(id: row.id, body: try JSONValue(parsing: row.body).objectValue ?? [:])
        }
    }

    private func objects(_ number: Int, of bare: SQLiteConnection) throws -> [[String: Any]] {
        try rows(number, of: bare).compactMap { row in
            try JSONSerialization.jsonObject(with: Data(row.body)) as? [String: Any]
        }
    }
}
