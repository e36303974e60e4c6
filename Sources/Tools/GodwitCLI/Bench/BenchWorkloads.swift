//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AsyncHTTPClient
import GodwitFoundation
import GodwitHost
import NIOCore

/// The workloads of `godwit bench` in the order in which they run. Later workloads read documents that earlier
/// workloads have written.
struct BenchWorkloads: Sendable {
    let client: BenchClient
    /// The database that the benchmark creates and deletes.
    let database: String
    /// The factor for the size of each workload; 1 is the default.
    let scale: Double

    /// One workload: its name, its size and its function.
    struct Workload: Sendable {
        let name: String
        let unit: String
        let count: Int
        let run: @Sendable (_ count: Int) async throws -> Void
    }

    private static let clients = 32
    static let batch = 1_000
    private static let padding = String(repeating: "x", count: 208)

    var all: [Workload] {
        documents + scans + queries + views + attachments
            + [Workload(name: "create a database", unit: "databases", count: scaled(50), run: createDatabases)]
    }

    func scaled(_ count: Int) -> Int { max(1, Int(Double(count) * scale)) }

    // MARK: Documents

    private var documents: [Workload] {
        [
            Workload(name: "PUT, 1 client", unit: "documents", count: scaled(500)) { count in
                try await put(count, clients: 1, prefix: "one")
            },
            Workload(name: "PUT, 32 clients", unit: "documents", count: scaled(5_000)) { count in
                try await put(count, clients: BenchWorkloads.clients, prefix: "many")
            },
            Workload(
                name: "_bulk_docs of 1000", unit: "documents", count: scaled(50) * BenchWorkloads.batch, run: bulk),
            Workload(name: "GET by id, 32 clients", unit: "documents", count: scaled(10_000), run: read),
        ]
    }

    private static func text(_ id: String, _ number: Int) -> String {
        // The first word occurs in one of 997 documents, and the second word in every second document.
        let words = "gull\(number % 997) tide\(number % 2) "
        let note = words + padding.dropFirst(words.utf8.count)
        return
            #"{"_id":"\#(id)","type":"trip","km":\#(number),"route":\#(number % 1_000),"from":"Bodega Bay","note":"\#(note)"}"#
    }

    private func put(_ count: Int, clients: Int, prefix: String) async throws {
        try await share(count, among: clients) { number in
            let id = "\(prefix)-\(number)"
            let text = BenchWorkloads.text(id, number)
            try await client.send("PUT", "\(database)/\(id)", body: .bytes(ByteBuffer(string: text)))
        }
    }

    private static func id(_ number: Int) -> String { "bulk-" + String(1_000_000_000 + number).dropFirst() }

    private func bulk(_ count: Int) async throws { try await bulk(count, prefix: "") }

    /// Writes documents in batches of a thousand.
    ///
    /// - Parameter prefix: The prefix of the documents' ids.
    func bulk(_ count: Int, prefix: String) async throws {
        for start in stride(from: 0, to: count, by: BenchWorkloads.batch) {
            let texts = (start..<start + BenchWorkloads.batch).map {
                BenchWorkloads.text(prefix + BenchWorkloads.id($0), $0)
            }
            let body = "{\"docs\":[\(texts.joined(separator: ","))]}"
            try await client.send("POST", "\(database)/_bulk_docs", body: .bytes(ByteBuffer(string: body)))
        }
    }

    private func read(_ count: Int) async throws {
        let stored = scaled(50) * BenchWorkloads.batch
        try await share(count, among: BenchWorkloads.clients) { number in
            try await client.send("GET", "\(database)/\(BenchWorkloads.id(number &* 7919 % stored))")
        }
    }

    /// Calls a closure for each number below `count`. `clients` tasks call the closure concurrently, each for a part of
    /// the numbers.
    func share(_ count: Int, among clients: Int, _ body: @escaping @Sendable (Int) async throws -> Void)
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<clients {
                group.addTask { for number in stride(from: first, to: count, by: clients) { try await body(number) } }
            }
            try await group.waitForAll()
        }
    }

    // MARK: Scans

    private var scans: [Workload] {
        let stored = scaled(500) + scaled(5_000) + scaled(50) * BenchWorkloads.batch
        return ["_all_docs", "_changes"].map { path in
            Workload(name: "\(path) with documents", unit: "rows", count: stored) { count in
                let bytes = try await client.send("GET", "\(database)/\(path)?include_docs=true")
                guard bytes > count * BenchWorkloads.padding.count else {
                    throw CommandFailure(
                        message: "\(path) returned \(bytes) bytes, too few for \(count) documents.")
                }
            }
        }
    }

    // MARK: Attachments

    private var attachments: [Workload] {
        [(1 << 10, 200, "1 KB"), (1 << 20, 20, "1 MB"), (100 << 20, 1, "100 MB")].flatMap { size, count, name in
            [
                Workload(name: "attachment of \(name) up", unit: "attachments", count: scaled(count)) { count in
                    for number in 0..<count { try await upload(size, to: "\(database)/file-\(size)-\(number)/a") }
                },
                Workload(name: "attachment of \(name) down", unit: "attachments", count: scaled(count)) { count in
                    for number in 0..<count {
                        let bytes = try await client.send("GET", "\(database)/file-\(size)-\(number)/a")
                        guard bytes == size else {
                            throw CommandFailure(message: "an attachment was returned with \(bytes) bytes")
                        }
                    }
                },
            ]
        }
    }

    /// Uploads bytes that cannot be compressed. All pieces of an attachment are equal, but different attachments have
    /// different bytes.
    private func upload(_ size: Int, to path: String) async throws {
        let pieceBytes = min(size, 64 << 10)
        var bytes = (0..<pieceBytes).map { _ in UInt8.random(in: .min ... .max) }
        let stamp = Array(path.utf8)
        bytes.replaceSubrange(0..<min(stamp.count, pieceBytes), with: stamp.prefix(pieceBytes))
        let buffer = ByteBuffer(bytes: bytes)
        let pieces = AsyncStream<ByteBuffer> { stream in
            for _ in 0..<size / pieceBytes { stream.yield(buffer) }
            stream.finish()
        }
        try await client.send(
            "PUT", path, body: .stream(pieces, length: .known(Int64(size))), type: "application/octet-stream")
    }

    // MARK: Databases

    private func createDatabases(_ count: Int) async throws {
        for number in 0..<count { try await client.send("PUT", "\(database)-\(number)") }
    }

    /// Creates the database for the workloads.
    func prepare() async throws { try await client.send("PUT", database) }

    /// Deletes all databases of the benchmark.
    func clean() async {
        // Errors are ignored, because the results are valid nevertheless. If databases remain, they can be recognized
        // by their names.
        _ = try? await client.send("DELETE", database)
        for number in 0..<scaled(50) { _ = try? await client.send("DELETE", "\(database)-\(number)") }
    }
}
