//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitTesting

/// Workloads without a reference for comparison; their results are compared with fixed limits.
enum LoadBenchmarks {
    /// Measures 32 tasks that each create single documents: the documents for each flush, and the latency.
    static func singles(count: Int) async throws {
        let disk = FaultDisk()
        try await withDirectory { path in
            let flush = try await flushSeconds(path)
            let manager = try DatastoreManager(directory: path, durability: .full, indexes: [], disk: disk.name)
            let store = try await manager.datastore(named: "bench")
            let before = disk.counts.flushes
            var waits: [Double] = []
            let time = try await seconds {
                try await withThrowingTaskGroup(of: [Double].self) { group in
                    for task in 0..<32 {
                        group.addTask {
                            var waits: [Double] = []
                            for number in 0..<count / 32 {
                                let id = StoreBenchmarks.id(task * count + number)
                                waits.append(
                                    try await seconds {
                                        _ = try await store.create(
                                            Document(id: id, body: ["km": .integer(Int64(number))]))
                                    })
                            }
                            return waits
                        }
                    }
                    for try await part in group { waits += part }
                }
            }
            let flushes = disk.counts.flushes - before
            report(
                "32 tasks, single documents, full",
                "\(text(Double(waits.count) / time))/s, \(text(Double(waits.count) / Double(flushes), 1)) documents a flush, "
                    + "p50 \(text(median(waits) * 1e3, 2)) ms, p99 \(text(percentile(waits, 0.99) * 1e3, 2)) ms; "
                    + "one flush alone p50 \(text(median(flush) * 1e3, 2)) ms, p99 \(text(percentile(flush, 0.99) * 1e3, 2)) ms"
            )
            await manager.close()
        }
    }

    /// Returns the times of appending a page to a file and flushing it, 300 times.
    private static func flushSeconds(_ directory: String) async throws -> [Double] {
        let path = directory + "/flush"
        try Data(count: 4 << 20).write(to: URL(filePath: path))
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        return try (0..<300).map { position in
            try secondsNow {
                try file.seek(toOffset: UInt64(position * 4_096))
                try file.write(contentsOf: Data(repeating: 7, count: 4_096))
                fdatasync(file.fileDescriptor)
            }
        }
    }

    /// Measures an attachment of a gigabyte that is written and read during other writes: the memory, and the latency
    /// of the others.
    static func attachment(megabytes: Int) async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path, durability: .full)
            let store = try await manager.datastore(named: "bench")
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            let stream = AsyncStream<[UInt8]>(unfolding: { [left = Counter(megabytes)] in left.take() ? piece : nil })
            let others = Task.detached {
                var waits: [Double] = []
                while !Task.isCancelled {
                    waits.append(try await seconds { _ = try await store.create(Document(body: ["n": 1])) })
                }
                return waits
            }
            var document = Document(id: "large", body: [:], attachments: ["x": .stream(stream, contentType: "t/x")])
            let written = try await seconds { document = try await store.create(document) }
            var length = 0
            let read = try await seconds {
                for try await piece in try store.bytes(of: document.attachments["x"]!) { length += piece.count }
            }
            others.cancel()
            let waits = try await others.value
            precondition(length == megabytes << 20)
            report(
                "an attachment of \(megabytes) MB",
                "written in \(text(written, 1)) s, read in \(text(read, 1)) s, peak memory \(text(peakMegabytes)) MB, "
                    + "\(waits.count) other writes p50 \(text(median(waits) * 1e3, 1)) ms, "
                    + "p99 \(text(percentile(waits, 0.99) * 1e3, 1)) ms")
            await manager.close()
        }
    }

    /// Measures repeated updates of one document.
    static func updates(count: Int) async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path, durability: .normal)
            let store = try await manager.datastore(named: "bench")
            var document = try await store.create(Document(id: "a", body: ["n": 0]))
            var times: [Double] = []
            for number in 1...count {
                document.body["n"] = .integer(Int64(number))
                let changed = document
                times.append(try await seconds { document = try await store.update(changed) })
            }
            let (early, late) = (times[25..<75], times.suffix(50))
            report(
                "\(count) updates of one document",
                "updates 25 to 75 \(text(median(Array(early)) * 1e6)) µs, the last 50 \(text(median(Array(late)) * 1e6)) µs"
            )
            await manager.close()
        }
    }

    /// Measures 100 updates of each of 1000 documents.
    static func churn() async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path, durability: .full)
            let store = try await manager.datastore(named: "bench")
            var documents: [Document] = []
            for number in 0..<1_000 {
                documents.append(
                    Document(
                        id: StoreBenchmarks.id(number),
                        body: try JSONValue(parsing: StoreBenchmarks.body(number)).objectValue ?? [:]))
            }
            documents = try await write(documents, to: store)
            let first = try store.info().fileBytes
            var rates: [Double] = []
            for _ in 0..<100 {
                let before = documents
                let time = try await seconds { documents = try await write(before, to: store) }
                rates.append(1_000 / time)
            }
            let grown = try store.info().fileBytes
            let time = try await seconds { try await store.compact() }
            report(
                "1000 documents updated 100 times",
                "first ten \(text(median(Array(rates.prefix(10)))))/s, last ten \(text(median(Array(rates.suffix(10)))))/s, "
                    + "file \(first >> 10) KB, then \(grown >> 10) KB, compacted in \(text(time, 2)) s to "
                    + "\(try store.info().fileBytes >> 10) KB")
            await manager.close()
        }
    }

    private static func write(_ documents: [Document], to store: Datastore) async throws -> [Document] {
        try await store.write { transaction in
            try documents.map { try $0.revision == nil ? transaction.create($0) : transaction.update($0) }
        }
    }

    /// Measures reads by id, first alone, then during continuous writes and compactions.
    static func reads(count: Int) async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path, durability: .full)
            let store = try await manager.datastore(named: "bench")
            try await fill(store, count)
            var (alone, beside): ([Double], [Double]) = ([], [])
            for _ in 0..<3 {
                alone += try readTimes(store, count)
                let load = Task.detached {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await saturate(store, count) }
                        group.addTask { while !Task.isCancelled { _ = try await store.compact() } }
                        try await group.waitForAll()
                    }
                }
                try await Task.sleep(for: .milliseconds(300))
                beside += try readTimes(store, count)
                load.cancel()
                _ = await load.result
            }
            let (one, other) = (percentile(alone, 0.99), percentile(beside, 0.99))
            report(
                "reads beside a writer and a compaction",
                "p99 alone \(text(one * 1e6, 1)) µs, beside them \(text(other * 1e6, 1)) µs, ×\(text(other / one, 1)); "
                    + "p50 \(text(median(alone) * 1e6, 1)) and \(text(median(beside) * 1e6, 1)) µs")
            await manager.close()
        }
    }

    private static func readTimes(_ store: Datastore, _ count: Int) throws -> [Double] {
        try (0..<30_000).map { number in
            try secondsNow { _ = try store.read { try $0.row(id: StoreBenchmarks.id(number &* 7919 % count)) } }
        }
    }

    private static func saturate(_ store: Datastore, _ count: Int) async throws {
        var number = 0
        while !Task.isCancelled {
            let start = number
            try await store.write { transaction in
                for position in start..<start + 100 {
                    var document = try transaction.document(StoreBenchmarks.id(position % count))
                    document.body["km"] = .integer(Int64(position))
                    _ = try transaction.update(document)
                }
            }
            number += 100
        }
    }

    static func fill(_ store: Datastore, _ count: Int) async throws {
        for start in stride(from: 0, to: count, by: 1_000) {
            let documents = try (start..<min(start + 1_000, count)).map {
                try IncomingDocument(parsing: StoreBenchmarks.text($0), purpose: .edit, limits: .default)
            }
            _ = try await store.writeEach(documents, isReplicated: false)
        }
    }

    /// Measures many documents: the memory for writing them, and the time to open the file again.
    static func many(count: Int) async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path)
            let time = try await seconds { try await fill(manager.datastore(named: "bench"), count) }
            await manager.close()
            var opened: [Double] = []
            for _ in 0..<5 {
                let manager = try DatastoreManager(directory: path)
                opened.append(
                    try await seconds {
                        _ = try await manager.datastore(named: "bench").document(StoreBenchmarks.id(7))
                    })
                await manager.close()
            }
            report(
                "\(count) documents",
                "created in \(text(time, 1)) s, peak memory \(text(peakMegabytes)) MB, opened in \(text(median(opened) * 1e3, 1)) ms"
            )
        }
    }

    /// Measures many databases with ten documents each.
    static func databases(count: Int) async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path, durability: .normal)
            let cpu = cpuSeconds
            let time = try await seconds {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<16 {
                        group.addTask {
                            for number in stride(from: task, to: count, by: 16) {
                                let store = try await manager.datastore(named: "d\(number)")
                                let documents = try (0..<10).map {
                                    try IncomingDocument(
                                        parsing: StoreBenchmarks.text($0), purpose: .edit, limits: .default)
                                }
                                _ = try await store.writeEach(documents, isReplicated: false)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            report(
                "\(count) databases with 10 documents each",
                "\(text(Double(count) / time))/s, \(text(Double(count) / (cpuSeconds - cpu)))/s and core, "
                    + "at most \(manager.limits.databasesOpenMax) open, peak memory \(text(peakMegabytes)) MB")
            await manager.close()
        }
    }

    /// Measures a catalogue of many databases: the time to open the directory.
    static func catalogue(count: Int) async throws {
        try await withDirectory { path in
            let manager = try DatastoreManager(directory: path, durability: .normal)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<16 {
                    group.addTask {
                        for number in stride(from: task, to: count, by: 16) {
                            try await manager.create(named: "d\(number)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            await manager.close()
            var times: [Double] = []
            for _ in 0..<3 {
                var names = 0
                times.append(
                    try await seconds {
                        let manager = try DatastoreManager(directory: path, durability: .normal)
                        _ = try await manager.datastore(named: "d7").documentCount
                        names = try await manager.names().count
                        await manager.close()
                    })
                precondition(names == count)
            }
            report(
                "\(count) databases in the catalogue", "ready, one opened and all listed in \(text(median(times), 2)) s"
            )
        }
    }
}

/// A counter that decreases to zero.
private final class Counter: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func take() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}
