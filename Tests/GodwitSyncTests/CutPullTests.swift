//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitSync
import GodwitTransport
import TestKit
import Testing

@Suite("Interrupted pulls that are repeated", .endsWhenHung)
struct CutPullTests {
    private static let photo = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    private static let cut = 1_700_000

    /// A source behind a server, with the same photo in several documents, and the directory of a target.
    private struct Pair: Sendable {
        let source: Datastore
        let address: String
        let directory: String
        let transport = CuttingTransport()

        func remote(_ limits: ReplicationLimits = ReplicationLimits()) throws -> RemoteEndpoint {
            RemoteEndpoint(
                try RemoteURL("\(address)/source"), credentials: .basic(user: "admin", password: "secret"),
                limits: limits, transport: transport)
        }

        /// Opens the target as a new process would.
        func withTarget<Result>(_ body: (Datastore) async throws -> Result) async throws -> Result {
            let manager = try DatastoreManager(directory: directory, durability: .normal)
            do {
                let target = try await manager.datastore(named: "target")
                let result = try await body(target)
                #expect(try await target.check() == [])
                await manager.close()
                return result
            } catch {
                await manager.close()
                throw error
            }
        }

        /// Runs a pull once, with a maximum number of attempts for each step.
        @discardableResult
        func pull(attempts: Int = 1, into target: Datastore) async throws -> ReplicationReport {
            var limits = ReplicationLimits()
            limits.retrySeconds = 0.001
            limits.attemptsMax = attempts
            return try await Replicator(.pull, target, with: try remote(limits), limits: limits).run()
        }

        func expectPhoto(of id: String = "a", in target: Datastore) async throws {
            let stored = try #require(try target.document(id).attachments["photo.jpg"])
            let bytes = try await target.bytes(of: stored).collect(bytesMax: .max)
            #expect((bytes == CutPullTests.photo) as Bool)
        }
    }

    private func withPair(
        documents: [String] = ["a"], _ body: @escaping @Sendable (Pair) async throws -> Void
    ) async throws {
        let directory = NSTemporaryDirectory() + "godwit-cut-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await withManager { manager in
            let source = try await manager.datastore(named: "source")
            for id in documents {
                _ = try await source.create(
                    Document(
                        id: id, body: [:], attachments: ["photo.jpg": .data(Self.photo, contentType: "image/jpeg")]))
            }
            try await withServer(of: manager) { address in
                try await body(Pair(source: source, address: address, directory: directory))
            }
        }
    }

    @Test("Each run requests exactly the bytes that the last one lacked")
    func resumed() async throws {
        try await withPair { pair in
            pair.transport.change { $0.cutsAfterBytes = Self.cut }
            for _ in 1...2 {
                try await pair.withTarget { target in
                    _ = try? await pair.pull(into: target)
                    let count = try target.documentCount
                    #expect(count == 0)
                }
            }
            try await pair.withTarget { target in
                let told = Mutex<[Int]>([])
                let report = try await Replicator(.pull, target, with: try pair.remote()).run { progress in
                    told.withLock { $0.append(progress.attachmentBytes) }
                }
                #expect(report.failures.isEmpty && report.counts.documentsWritten == 1)
                #expect(told.withLock { $0.first { $0 > 0 } } == 2 * Self.cut)
                #expect(told.withLock { $0.last } == Self.photo.count)
                try await pair.expectPhoto(in: target)
            }
            #expect(pair.transport.ranges == [nil, "bytes=\(Self.cut)-", "bytes=\(2 * Self.cut)-"])
        }
    }

    @Test("Another document with the same attachment continues with its bytes")
    func otherDocument() async throws {
        try await withPair { pair in
            try await pair.withTarget { target in
                pair.transport.change { $0.cutsAfterBytes = Self.cut }
                _ = try? await pair.pull(into: target)
                pair.transport.change { $0.cutsAfterBytes = nil }
                try await pair.source.purge("a")
                _ = try await pair.source.create(
                    Document(
                        id: "b", body: [:], attachments: ["photo.jpg": .data(Self.photo, contentType: "image/jpeg")]))
                #expect(try await pair.pull(into: target).counts.documentsWritten == 1)
                try await pair.expectPhoto(of: "b", in: target)
            }
            #expect(pair.transport.ranges == [nil, "bytes=\(Self.cut)-"])
        }
    }

    @Test("Stored bytes that make the attachment invalid are dropped, and it is fetched again")
    func spoilt() async throws {
        try await withPair { pair in
            pair.transport.change { $0.cutsAfterBytes = Self.cut }
            pair.transport.change { $0.isSpoiling = true }
            try await pair.withTarget { _ = try? await pair.pull(into: $0) }
            pair.transport.change { $0.cutsAfterBytes = nil }
            pair.transport.change { $0.isSpoiling = false }
            try await pair.withTarget { target in
                let report = try await pair.pull(into: target)
                #expect(report.failures.isEmpty && report.counts.documentsWritten == 1)
                try await pair.expectPhoto(in: target)
            }
            #expect(pair.transport.ranges == [nil, "bytes=\(Self.cut)-", nil])
        }
    }

    @Test("Documents that share an attachment all get it despite interruptions")
    func shared() async throws {
        let documents = ["a", "b", "c"]
        try await withPair(documents: documents) { pair in
            pair.transport.change { $0.cutsAfterBytes = Self.cut }
            try await pair.withTarget { target in
                #expect(try await pair.pull(attempts: 3, into: target).failures.isEmpty)
                for id in documents { try await pair.expectPhoto(of: id, in: target) }
            }
        }
    }

    @Test("An interrupted fetch is continued by the next one, with progress from that position")
    func fetched() async throws {
        try await withPair { pair in
            try await pair.withTarget { target in
                var pull = Replicator(.pull, target, with: try pair.remote())
                pull.attachmentBytesMax = 1_000
                _ = try await pull.run()
                pair.transport.change { $0.cutsAfterBytes = Self.cut }
                var limits = ReplicationLimits()
                limits.attemptsMax = 1
                let endpoint = try pair.remote(limits)
                await #expect(throws: ReplicationError.self) {
                    try await target.fetch("photo.jpg", of: "a", from: endpoint, limits: limits)
                }
                pair.transport.change { $0.cutsAfterBytes = nil }
            }
            try await pair.withTarget { target in
                let told = Mutex<[Int]>([])
                try await target.fetch("photo.jpg", of: "a", from: try pair.remote()) { bytes, _ in
                    told.withLock { $0.append(bytes) }
                }
                #expect(told.withLock { $0.first } == Self.cut && told.withLock { $0.last } == Self.photo.count)
                try await pair.expectPhoto(in: target)
            }
            #expect(pair.transport.ranges == [nil, "bytes=\(Self.cut)-"])
        }
    }

    @Test("A refused document leaves no bytes")
    func refused() async throws {
        try await withPair { pair in
            try await pair.withTarget { target in
                let refusing = LocalEndpoint(target) { documents in
                    documents.map {
                        ReplicationFailure(
                            id: $0.id ?? "", revision: $0.revision, status: 403, error: "forbidden", reason: "no")
                    }
                }
                let report = try await Replicator(from: try pair.remote(), to: refusing).run()
                #expect(report.failures.map(\.status) == [403])
            }
            // The rest of the refused attachment is removed at the next start.
            try await pair.withTarget { target in
                try await target.compact()
                #expect(try target.info().fileBytes < Self.photo.count / 10)
            }
        }
    }
}
