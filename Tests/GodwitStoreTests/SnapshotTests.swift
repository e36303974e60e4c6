//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitSQLite
import Testing

@testable import GodwitStore

@Suite("Snapshots, backups and checks")
struct SnapshotTests {
    @Test("A snapshot does not change during writes")
    func state() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: ["n": 1]))
            try await store.snapshot { snapshot in
                _ = try await store.update(try changed(store.document("a"), 2))
                _ = try await store.create(Document(id: "b", body: [:]))
                #expect(try snapshot.document("a").body["n"] == 1)
                #expect(try snapshot.documents(["a", "b"]).map { $0?.id } == ["a", nil])
                #expect(try snapshot.documents(limit: 10).map(\.id) == ["a"])
            }
        }
    }

    private func changed(_ document: Document, _ n: Int64) -> Document {
        var document = document
        document.body["n"] = .integer(n)
        return document
    }

    @Test("A snapshot that holds the log too long ends with an error, and the log stays within its limit")
    func expiry() async throws {
        var limits = StoreLimits()
        limits.checkpointPages = 100
        limits.logBytesMax = 4 << 20
        try await withDatastore(limits: limits) { store in
            let text = String(repeating: "x", count: 100_000)
            try await store.snapshot { snapshot in
                for n in 0..<100 { _ = try await store.create(Document(id: "\(n)", body: ["x": .string(text)])) }
                await expectFailure(.snapshotExpired) { _ = try snapshot.documents(limit: 1) }
            }
            #expect(try fileSize(store.database.file.path + "-wal") < limits.logBytesMax)
        }
    }

    @Test("Work whose snapshot ends begins again, a few times", arguments: [0, 1, 2, 3])
    func repeated(expiries: Int) async throws {
        var tries = 0
        let work = {
            tries += 1
            if tries <= expiries { throw StoreError(.snapshotExpired, "it ended") }
        }
        if expiries < StoreLimits.snapshotTriesMax {
            try await Snapshot.repeatingIfExpired(work)
        } else {
            await expectFailure(.snapshotExpired) { try await Snapshot.repeatingIfExpired(work) }
        }
        #expect(tries == min(expiries + 1, StoreLimits.snapshotTriesMax))
    }

    @Test("A snapshot cannot be used after its closure, nor can a write transaction")
    func leaks() async throws {
        try await withDatastore { store in
            let kept: Snapshot = try await store.snapshot { $0 }
            await expectFailure(.snapshotExpired) { _ = try kept.documents(limit: 1) }
            let transaction = Shared<[LeakedTransaction]>([])
            try await store.write { leaked in
                let held = LeakedTransaction(leaked)
                transaction.change { $0.append(held) }
            }
            await expectFailure(.closed) { _ = try transaction.value[0].transaction.create(Document(body: [:])) }
        }
    }

    /// A transaction that is used after its write. Proof of `Sendable`: only one task uses the object at a time.
    private final class LeakedTransaction: @unchecked Sendable {
        let transaction: WriteTransaction

        init(_ transaction: WriteTransaction) { self.transaction = transaction }
    }

    @Test("What a closure throws comes out of a write as it is, and nothing of the write stays")
    func ownErrors() async throws {
        struct Refusal: Error, Equatable {}
        try await withDatastore { store in
            await #expect(throws: Refusal()) {
                let write: @Sendable (WriteTransaction) throws -> Void = { transaction in
                    _ = try transaction.create(Document(id: "a", body: [:]))
                    throw Refusal()
                }
                try await store.write(write)
            }
            let count = try store.documentCount
            #expect(count == 0)
        }
    }

    // MARK: Backups

    @Test("A cancelled backup and a cancelled check end with an error, and no file is left")
    func cancelling() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "trips")
                _ = try await store.create(Document(id: "a", body: ["n": 0]))
                let path = directory.path + "/copy"
                let backup = Task { try await store.backup(to: path) }
                backup.cancel()
                await #expect(throws: (any Error).self) { try await backup.value }
                let check = Task { try await store.check() }
                check.cancel()
                await #expect(throws: (any Error).self) { _ = try await check.value }
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: directory.path).allSatisfy {
                        !$0.hasPrefix("copy")
                    })
                #expect(try await store.check().isEmpty)
            }
        }
    }

    @Test("A backup taken under load is one state, and restores to a separate database")
    func backup() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "trips")
                // Two documents that are always equal.
                for id in ["a", "b"] { _ = try await store.create(Document(id: id, body: ["n": 0])) }
                for n in 0..<500 { _ = try await store.create(Document(id: "x\(n)", body: ["n": .integer(Int64(n))])) }
                let writing = Task {
                    var n: Int64 = 0
                    while !Task.isCancelled {
                        n += 1
                        let value = n
                        try await store.write { transaction in
                            for id in ["a", "b"] {
                                var document = try transaction.document(id)
                                document.body["n"] = .integer(value)
                                _ = try transaction.update(document)
                            }
                        }
                    }
                }
                let path = directory.path + "/copy"
                try await store.backup(to: path)
                await expectFailure(.fileExists) { try await store.backup(to: path) }
                writing.cancel()
                try await writing.value
                try await manager.restore(from: path, named: "copy")
                await expectFailure(.databaseExists) { try await manager.restore(from: path, named: "copy") }
                let copy = try await manager.datastore(named: "copy")
                try await copy.checkInvariants()
                #expect(try copy.document("a").body["n"] == copy.document("b").body["n"])
                #expect(try copy.documentCount == 502)
                #expect(copy.identity.epoch != store.identity.epoch)
                #expect(copy.identity.instance != store.identity.instance)
                var faults: [Fault] = []
                let strays = try await manager.check { report, _, _ in faults += report.faults }
                #expect(faults.isEmpty && strays.isEmpty, "\(faults) \(strays)")
            }
        }
    }

    @Test("A position of the original database continues in the copy from the backup; a foreign one starts again")
    func epochs() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "a")
                for n in 0..<5 { _ = try await store.create(Document(id: "\(n)", body: [:])) }
                let early = store.sequence(3)
                try await store.backup(to: directory.path + "/copy")
                _ = try await store.create(Document(id: "later", body: [:]))
                let late = store.updateSequence
                try await manager.restore(from: directory.path + "/copy", named: "b")
                let copy = try await manager.datastore(named: "b")
                #expect(copy.start(of: early) == 3)
                #expect(copy.start(of: late) == 5)
                #expect(copy.start(of: UpdateSequence(number: 4, epoch: "00000000")) == 0)
                #expect(copy.start(of: UpdateSequence(number: 4, epoch: nil)) == 4)
                // The copy of a copy knows the sequences of the original and of the first copy.
                _ = try await copy.create(Document(id: "x", body: [:]))
                try await copy.backup(to: directory.path + "/second")
                try await manager.restore(from: directory.path + "/second", named: "c")
                let second = try await manager.datastore(named: "c")
                #expect(second.start(of: late) == 5)
                #expect(second.start(of: copy.updateSequence) == 6)
            }
        }
    }

    @Test("A file that is not a backup is refused, and leaves nothing")
    func strangeBackups() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let path = directory.path + "/strange"
                await expectFailure(.storage) { try await manager.restore(from: path, named: "a") }
                try Data(repeating: 7, count: 10_000).write(to: URL(filePath: path))
                await expectFailure(.corrupt) { try await manager.restore(from: path, named: "a") }
                let names = try await manager.names()
                #expect(names == [])
                // The name is free.
                _ = try await manager.datastore(named: "a")
            }
        }
    }

    // MARK: Checks

    @Test(
        "The check reports contradictions",
        arguments: [
            ("UPDATE state SET live = live + 1", "live documents"),
            ("UPDATE state SET bodyBytes = 0", "bytes of bodies"),
            ("UPDATE documents SET flags = 2 WHERE id = 'a'", "flags"),
            ("UPDATE documents SET body = '{' WHERE id = 'a'", "not a JSON object"),
            ("DELETE FROM bodies", "is missing"),
            ("DELETE FROM conflicted", "not in the list"),
            ("UPDATE blobs SET uses = 9", "uses"),
            ("UPDATE chunks SET data = zeroblob(length(data))", "do not match its digest"),
            ("DELETE FROM chunks", "bytes of"),
            ("DELETE FROM owned", "lists of owners"),
            ("UPDATE owners SET live = 5", "counters of an owner"),
            (
                "UPDATE documents SET winner = x'0100000000000000000000000000000000ff' WHERE id = 'c'",
                "leaves of its row"
            ),
            ("UPDATE documents SET number = 1", "have the number of another document"),
            ("UPDATE documents SET tree = x'00' WHERE id = 'c'", "tree"),
        ])
    func faults(damage: String, words: String) async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                _ = try await store.create(
                    Document(id: "a", body: ["n": 1], attachments: ["x": .data([1, 2, 3], contentType: "t/x")]))
                try await store.graft("c", "ba")
                try await store.graft("c", "xa")
                _ = try await store.scoped(to: try .owner("ana")).create(Document(id: "d", body: [:]))
                let clean = try await store.check()
                #expect(clean.isEmpty, "\(clean)")
                try await store.transact { try $0.connection.execute(damage) }
                let faults = try await store.check()
                #expect(faults.contains { $0.description.contains(words) }, "\(faults)")
            }
        }
    }
}
