//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitSQLite
import GodwitStore

/// The engine beside bare statements over the same rows: ids of 12 digits, bodies of 300 bytes, 1000 to a transaction,
/// write-ahead log, `synchronous = FULL` on both sides.
struct StoreBenchmarks {
    let count: Int
    private let rounds = 5
    private let batch = 1_000

    private static let padding = String(repeating: "x", count: 236)

    private func id(_ number: Int) -> String { String(format: "%012d", number) }

    private func body(_ number: Int) -> String {
        #"{"type":"trip","km":\#(number),"from":"Bodega Bay","note":"\#(StoreBenchmarks.padding)"}"#
    }

    /// Runs both sides in turn and prints medians and ratios.
    func run() async throws {
        var (engineWrites, bareWrites, engineReads, bareReads) = ([Double](), [Double](), [Double](), [Double]())
        for round in 1...rounds {
            let bare = try timeBare()
            let engine = try await timeEngine()
            bareWrites.append(bare.write)
            bareReads.append(bare.read)
            engineWrites.append(engine.write)
            engineReads.append(engine.read)
            print("round \(round) of \(rounds) done")
        }
        print(
            "\(count) documents of about 300 bytes, \(ProcessInfo.processInfo.processorCount) cores, medians of \(rounds)"
        )
        show("written, 1000 to a transaction", engineWrites, bareWrites)
        show("read by id", engineReads, bareReads)
    }

    private func show(_ workload: String, _ engine: [Double], _ bare: [Double]) {
        let ratios = zip(engine, bare).map { $1 / $0 }
        print(
            String(
                format: "%@: engine %.0f/s, bare SQLite %.0f/s, engine at %.0f %% of bare (%.0f–%.0f %%)", workload,
                Double(count) / median(engine), Double(count) / median(bare), median(ratios) * 100,
                (ratios.min() ?? 0) * 100, (ratios.max() ?? 0) * 100))
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    private func withDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let path = NSTemporaryDirectory() + "godwit-bench-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    /// The engine's whole way: text, validation, revision id, row, commit.
    private func timeEngine() async throws -> (write: Double, read: Double) {
        let texts = (0..<count).map { Array(#"{"_id":"\#(id($0))",\#(body($0).dropFirst())"#.utf8) }
        return try await withDirectory { path in
            let manager = try DatastoreManager(directory: path)
            let store = try await manager.datastore(named: "bench")
            let write = try await seconds {
                for start in stride(from: 0, to: count, by: batch) {
                    let documents = try texts[start..<min(start + batch, count)].map {
                        try IncomingDocument(parsing: $0, purpose: .edit, limits: .default)
                    }
                    _ = try await store.transact { transaction in
                        for document in documents { _ = try transaction.save(document) }
                    }
                }
            }
            let read = try await seconds {
                for number in 0..<count {
                    let row = try store.read { try $0.row(id: id(number &* 7919 % count)) }
                    precondition(row?.body.isEmpty == false)
                }
            }
            await manager.close()
            return (write, read)
        }
    }

    private func timeBare() throws -> (write: Double, read: Double) {
        let rows = (0..<count).map { (id($0), Array(body($0).utf8)) }
        let path = NSTemporaryDirectory() + "godwit-bench-" + UUID().uuidString
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let connection = try SQLiteConnection(path: path, access: .readWrite(creating: true))
        defer { connection.close() }
        try connection.configureWriter(synchronous: .full, cacheBytes: 8 << 20)
        try connection.execute("CREATE TABLE t(id TEXT PRIMARY KEY, body BLOB)")
        let clock = ContinuousClock()
        let write = try clock.measure {
            for start in stride(from: 0, to: count, by: batch) {
                try connection.write {
                    let insert = try connection.statement("INSERT INTO t VALUES(?1, ?2)")
                    for (id, body) in rows[start..<min(start + batch, count)] {
                        insert.bind(id, at: 1)
                        insert.bind(body, at: 2)
                        try insert.run()
                    }
                }
            }
        }
        let read = try clock.measure {
            let select = try connection.statement("SELECT body FROM t WHERE id = ?1")
            for number in 0..<count {
                select.bind(id(number &* 7919 % count), at: 1)
                let isThere = try select.step() && select.bytes(0)?.isEmpty == false
                precondition(isThere)
                select.reset()
            }
        }
        return (write / .seconds(1), read / .seconds(1))
    }
}
