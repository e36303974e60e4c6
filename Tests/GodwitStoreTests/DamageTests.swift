//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite
import Testing

@testable import GodwitStore

/// Tests damaged files (issue 21, number 14).
@Suite("Damage")
struct DamageTests {
    private static let sample = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }

    /// Runs `body` with a database whose file was changed by an SQL statement.
    private func withDamage(
        _ statement: String, _ body: (DatastoreManager, Datastore) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                _ = try await store.create(
                    Document(
                        id: "a", body: ["text": "0123456789abcdef"],
                        attachments: ["x": .data(DamageTests.sample, contentType: "t/x")]))
                _ = try await store.create(Document(id: "b", body: ["n": 1]))
                try await store.transact { try $0.connection.execute(statement) }
                try await body(manager, store)
            }
        }
    }

    @Test(
        "Reading fails for an attachment with a wrong byte or without a chunk",
        arguments: [
            "UPDATE chunks SET data = zeroblob(length(data)) WHERE key = (SELECT max(key) FROM chunks)",
            "UPDATE chunks SET data = zeroblob(length(data)) WHERE key = (SELECT min(key) FROM chunks)",
            "DELETE FROM chunks WHERE key = (SELECT max(key) FROM chunks)",
        ])
    func attachment(statement: String) async throws {
        try await withDamage(statement) { manager, store in
            let attachment = try #require(try store.document("a").attachments["x"])
            var read = 0
            await expectFailure(.corrupt) {
                for try await piece in try store.bytes(of: attachment) { read += piece.count }
            }
            #expect(read < DamageTests.sample.count)
            let record = try #require(try store.row("a").attachments.first)
            await expectFailure(.corrupt) { _ = try store.read { try $0.attachmentBytes(record.blob) } }
            #expect(manager.damages.count > 0)
        }
    }

    @Test("A range of an attachment is read alone, and a range of all bytes is verified")
    func ranges() async throws {
        try await withDamage(
            "UPDATE chunks SET data = zeroblob(length(data)) WHERE key = (SELECT max(key) FROM chunks)"
        ) { _, store in
            let attachment = try #require(try store.document("a").attachments["x"])
            let part = try await store.bytes(of: attachment, in: 10..<300_000).collect(bytesMax: 300_000)
            #expect(part.elementsEqual(DamageTests.sample[10..<300_000]))
            await expectFailure(.corrupt) {
                _ = try await store.bytes(of: attachment, in: 0..<700_000).collect(bytesMax: 700_000)
            }
        }
    }

    @Test("A body that is not UTF-8 cannot be read, by id, in a scan or as a revision; its neighbours can")
    func body() async throws {
        try await withDamage("UPDATE documents SET body = x'7b2274223a2280ff227d' WHERE id = 'a'") { _, store in
            await expectFailure(.corrupt) { _ = try store.document("a") }
            await expectFailure(.corrupt) { _ = try store.documents(limit: 10) }
            await expectFailure(.corrupt) { _ = try store.row("a") }
            #expect(try store.document("b").body == ["n": 1])
            #expect(try store.documentIDs(limit: 10) == ["a", "b"])
            let faults = try await store.check()
            #expect(faults.contains { $0.description.contains("not a JSON object") }, "\(faults)")
        }
    }

    @Test("A damaged database refuses writes, and is reported once for each document")
    func writes() async throws {
        try await withDamage("UPDATE documents SET body = x'7b2274223a2280ff227d' WHERE id = 'a'") { manager, store in
            let reports = Mutex<[DamageReports.Report]>([])
            manager.damages.observe { report in reports.withLock { $0.append(report) } }
            _ = try await store.create(Document(id: "c", body: [:]))
            for _ in 0..<3 { await expectFailure(.corrupt) { _ = try store.document("a") } }
            await expectFailure(.corrupt) { _ = try await store.create(Document(id: "d", body: [:])) }
            #expect(
                reports.withLock { $0 }
                    == [DamageReports.Report(database: "test", finding: "the document a is damaged")])
            #expect(manager.damages.count == 3)
            #expect(try store.document("b").id == "b")
            try await manager.delete(named: "test")
            #expect(try await manager.names().isEmpty)
        }
    }

    @Test("The reports in a minute are limited")
    func reportsInMinute() {
        let damages = DamageReports()
        let count = Mutex(0)
        damages.observe { _ in count.withLock { $0 += 1 } }
        for number in 0..<100 { damages.add(DamageReports.Report(database: "a", finding: "\(number)")) }
        #expect(count.withLock { $0 } == StoreLimits.damageReportsPerMinuteMax && damages.count == 100)
    }
}
