//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitKeys
import GodwitQuery
import GodwitStore

/// Measures the same work on plain and on encrypted files alternately: the CPU time of the process, including the
/// writer's thread.
struct EncryptionBenchmarks {
    let count: Int
    private static let rounds = 5
    private static let batch = 1_000
    private static let singles = 2_000
    private static let opens = 20

    private enum Work: String, CaseIterable {
        case insert = "created, 1000 to a transaction, a document"
        case single = "created one by one, a document"
        case hot = "read by id, a hundred documents again and again"
        case random = "read by id, any document"
        case scan = "all changes with bodies after opening, a document"
        case open = "opening a database and reading one document"
    }

    /// Runs both sides alternately and prints medians and ratios.
    func run() async throws {
        var (plain, encrypted): ([Work: [Double]], [Work: [Double]]) = ([:], [:])
        for _ in 1...Self.rounds {
            for (work, time) in try await measure(key: nil) { plain[work, default: []].append(time) }
            for (work, time) in try await measure(key: .random()) { encrypted[work, default: []].append(time) }
        }
        for work in Work.allCases {
            guard let plain = plain[work], let encrypted = encrypted[work] else { continue }
            let ratios = zip(encrypted, plain).map { $0 / $1 }
            report(
                work.rawValue,
                "plain \(text(median(plain) * 1e6, 1)) µs, encrypted \(text(median(encrypted) * 1e6, 1)) µs, "
                    + "\(text(median(ratios), 2))× (\(text(ratios.min() ?? 0, 2))–\(text(ratios.max() ?? 0, 2)))")
        }
        try await passphrase()
    }

    private func measure(key: EncryptionKey?) async throws -> [Work: Double] {
        try await withDirectory { path in
            var times: [Work: Double] = [:]
            let texts = (0..<count).map(StoreBenchmarks.text)
            let manager = try DatastoreManager(directory: path, key: key)
            let store = try await manager.datastore(named: "bench")
            times[.insert] = try await cpu(count) {
                for start in stride(from: 0, to: count, by: Self.batch) {
                    try await write(texts[start..<min(start + Self.batch, count)], to: store)
                }
            }
            let second = try await manager.datastore(named: "singles")
            times[.single] = try await cpu(Self.singles) {
                for number in 0..<Self.singles { try await write(texts[number...number], to: second) }
            }
            try read(store) { $0 % 100 }
            times[.hot] = try await cpu(count) { try read(store) { $0 % 100 } }
            times[.random] = try await cpu(count) { try read(store) { $0 &* 7919 % count } }
            await manager.close()
            try await reopen(path, key: key, &times)
            return times
        }
    }

    private func reopen(_ path: String, key: EncryptionKey?, _ times: inout [Work: Double]) async throws {
        let manager = try DatastoreManager(directory: path, key: key)
        times[.open] = try await cpu(Self.opens) {
            for _ in 0..<Self.opens {
                let store = try await manager.datastore(named: "bench")
                _ = try store.document(StoreBenchmarks.id(7))
                await manager.close(named: "bench")
            }
        }
        let store = try await manager.datastore(named: "bench")
        times[.scan] = try await cpu(count) {
            var (last, seen): (Int64, Int) = (0, 0)
            while case let rows = try store.changes(after: last, detail: .bodies).rows, let row = rows.last {
                last = row.sequence
                seen += rows.count
            }
            precondition(seen == count)
        }
        await manager.close()
    }

    private func passphrase() async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path)
            let first = try await cpu(1) {
                _ = try await manager.datastore(named: "bench", encryption: .passphrase("correct horse"))
            }
            let again = try await cpu(1) {
                _ = try await manager.datastore(named: "bench", encryption: .passphrase("correct horse"))
            }
            await manager.close()
            report(
                "opening with a passphrase",
                "\(text(first * 1e3, 1)) ms the first time, \(text(again * 1e3, 3)) ms while it is open")
        }
    }

    private func write(_ texts: ArraySlice<[UInt8]>, to store: Datastore) async throws {
        let documents = try texts.map { try IncomingDocument(parsing: $0, purpose: .edit, limits: .default) }
        _ = try await store.writeEach(documents, isReplicated: false)
    }

    private func read(_ store: Datastore, _ position: (Int) -> Int) throws {
        for number in 0..<count {
            let row = try store.read { try $0.row(id: StoreBenchmarks.id(position(number))) }
            precondition(row?.body.isEmpty == false)
        }
    }

    /// Returns the CPU seconds of one call.
    private func cpu(_ calls: Int, _ body: () async throws -> Void) async rethrows -> Double {
        let start = cpuSeconds
        try await body()
        return (cpuSeconds - start) / Double(calls)
    }
}
