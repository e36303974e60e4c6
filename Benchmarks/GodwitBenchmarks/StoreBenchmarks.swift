//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitQuery
import GodwitSQLite
import GodwitStore

/// Compares the engine with plain SQL statements over the same rows: ids of 12 digits, bodies of 300 bytes, 1000 in a
/// transaction, write-ahead log, `synchronous = FULL` on both sides.
struct StoreBenchmarks {
    let count: Int
    private let rounds = 5
    private let batch = 1_000

    private static let padding = String(repeating: "x", count: 236)

    static func id(_ number: Int) -> String { String(format: "%012d", number) }

    static func body(_ number: Int) -> String {
        #"{"type":"trip","km":\#(number),"from":"Bodega Bay","note":"\#(padding)"}"#
    }

    static func text(_ number: Int) -> [UInt8] { Array(#"{"_id":"\#(id(number))",\#(body(number).dropFirst())"#.utf8) }

    private enum Work: String, CaseIterable {
        case write = "created, 1000 to a transaction"
        case pipelined = "the same by two callers at once"
        case read = "read by id"
        case bodies = "all changes with bodies, by slices"
        case leaves = "all changes without bodies, by slices"
    }

    /// Runs both sides alternately and prints medians and ratios.
    func run() async throws {
        var (engine, bare): ([Work: [Double]], [Work: [Double]]) = ([:], [:])
        for _ in 1...rounds {
            for (work, time) in try timeBare() { bare[work, default: []].append(time) }
            for (work, time) in try await timeEngine() { engine[work, default: []].append(time) }
        }
        print(
            "\(count) documents of about 300 bytes, \(ProcessInfo.processInfo.processorCount) cores, \(rounds) rounds")
        for work in Work.allCases { show(work.rawValue, engine[work] ?? [], bare[work] ?? []) }
    }

    private func show(_ workload: String, _ engine: [Double], _ bare: [Double]) {
        let ratios = zip(engine, bare).map { $1 / $0 * 100 }
        report(
            workload,
            "engine \(GodwitBenchmarks.text(Double(count) / median(engine)))/s, "
                + "bare \(GodwitBenchmarks.text(Double(count) / median(bare)))/s, "
                + "engine at \(GodwitBenchmarks.text(median(ratios))) % of bare "
                + "(\(GodwitBenchmarks.text(ratios.min() ?? 0))–\(GodwitBenchmarks.text(ratios.max() ?? 0)))")
    }

    /// Measures complete writes of the engine: parsing, validation, revision id, row, commit.
    private func timeEngine() async throws -> [Work: Double] {
        let texts = (0..<count).map(StoreBenchmarks.text)
        return try await withDirectory { path in
            let manager = try DatastoreManager(directory: path)
            let store = try await manager.datastore(named: "bench")
            var times: [Work: Double] = [:]
            times[.write] = try await seconds { try await write(texts, to: store, from: 0, step: batch) }
            let second = try await manager.datastore(named: "second")
            times[.pipelined] = try await seconds {
                async let even: Void = write(texts, to: second, from: 0, step: 2 * batch)
                async let odd: Void = write(texts, to: second, from: batch, step: 2 * batch)
                _ = try await (even, odd)
            }
            times[.read] = try secondsNow {
                for number in 0..<count {
                    let row = try store.read { try $0.row(id: StoreBenchmarks.id(number &* 7919 % count)) }
                    precondition(row?.body.isEmpty == false)
                }
            }
            for (work, detail) in [(Work.bodies, RowDetail.bodies), (.leaves, .leaves)] {
                times[work] = try secondsNow {
                    var (last, seen): (Int64, Int) = (0, 0)
                    while case let rows = try store.changes(after: last, detail: detail).rows, let row = rows.last {
                        last = row.sequence
                        seen += rows.count
                    }
                    precondition(seen == count)
                }
            }
            await manager.close()
            return times
        }
    }

    private func write(_ texts: [[UInt8]], to store: Datastore, from first: Int, step: Int) async throws {
        for start in stride(from: first, to: count, by: step) {
            let documents = try texts[start..<min(start + batch, count)].map {
                try IncomingDocument(parsing: $0, purpose: .edit, limits: .default)
            }
            _ = try await store.writeEach(documents, isReplicated: false)
        }
    }

    private func timeBare() throws -> [Work: Double] {
        let rows = (0..<count).map { (StoreBenchmarks.id($0), Array(StoreBenchmarks.body($0).utf8)) }
        let path = NSTemporaryDirectory() + "godwit-bench-" + UUID().uuidString
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let connection = try SQLiteConnection(path: path, access: .readWrite(creating: true))
        defer { connection.close() }
        try connection.configureWriter(synchronous: .full, cacheBytes: 8 << 20)
        try connection.execute("PRAGMA wal_autocheckpoint = 1000; CREATE TABLE t(id TEXT PRIMARY KEY, body BLOB)")
        var times: [Work: Double] = [:]
        times[.write] = try secondsNow {
            for start in stride(from: 0, to: count, by: batch) {
                try connection.transaction {
                    let insert = try connection.statement("INSERT INTO t VALUES(?1, ?2)")
                    for (id, body) in rows[start..<min(start + batch, count)] {
                        insert.bind(id, at: 1)
                        insert.bind(body, at: 2)
                        try insert.run()
                    }
                }
            }
        }
        times[.pipelined] = times[.write]
        times[.read] = try secondsNow {
            let select = try connection.statement("SELECT body FROM t WHERE id = ?1")
            for number in 0..<count {
                select.bind(StoreBenchmarks.id(number &* 7919 % count), at: 1)
                let isThere = try select.step() && select.bytes(0)?.isEmpty == false
                precondition(isThere)
                select.reset()
            }
        }
        times[.bodies] = try scan(connection.statement("SELECT rowid, id, body FROM t ORDER BY rowid"), bodies: true)
        times[.leaves] = try scan(connection.statement("SELECT rowid, id FROM t ORDER BY rowid"), bodies: false)
        return times
    }

    private func scan(_ statement: SQLiteStatement, bodies: Bool) throws -> Double {
        try secondsNow {
            var seen = 0
            while try statement.step() {
                seen += statement.string(1).isEmpty || (bodies && statement.bytes(2)?.isEmpty != false) ? 0 : 1
            }
            precondition(seen == count)
        }
    }
}
