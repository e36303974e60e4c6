//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitSQLite
import Testing

@testable import GodwitStore

@Suite("Extreme numbers in files")
struct ExtremeNumberTests {
    @Test(arguments: [
        "UPDATE state SET live = 9223372036854775807", "UPDATE state SET live = -1",
        "UPDATE state SET deleted = 9223372036854775807", "UPDATE state SET bodyBytes = 9223372036854775807",
        "UPDATE documents SET number = 9223372036854775807 WHERE id = 'b'",
        "UPDATE documents SET number = -1 WHERE id = 'b'",
    ])
    func backupsWhoseCountersContradictTheirDocumentsAreRefused(damage: String) async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                for id in ["a", "b"] { _ = try await store.create(Document(id: id, body: ["n": 1])) }
                // A file from elsewhere may have been made without the rules of its tables.
                try await store.transact {
                    try $0.connection.execute("PRAGMA ignore_check_constraints = ON; \(damage)")
                }
                let path = directory.path + "/copy"
                try await store.backup(to: path)
                await expectFailure(.corrupt) { try await manager.restore(from: path, named: "restored") }
                #expect(try await manager.names() == ["test"])
            }
        }
    }

    /// A blob as an id is greater than every text: a reader that continues after it would read it again, without end.
    @Test(arguments: [
        "UPDATE local SET id = zeroblob(9)", "UPDATE documents SET id = zeroblob(9) WHERE id = 'a'",
        "UPDATE documents SET body = 'text' WHERE id = 'a'", "UPDATE documents SET flags = 'x' WHERE id = 'a'",
        "UPDATE documents SET number = zeroblob(1) WHERE id = 'a'", "UPDATE state SET epoch = zeroblob(3)",
        "INSERT INTO conflicted VALUES(zeroblob(4))", "DROP TABLE local; CREATE TABLE local(id, revision, body)",
        "ALTER TABLE local RENAME TO other; ALTER TABLE other RENAME TO Local", "DROP TABLE local",
        "DROP TABLE local; CREATE VIRTUAL TABLE local USING fts5(id, revision, body)",
    ])
    func aBackupWithValuesOfOtherTypesIsDamaged(damage: String) async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                for id in ["a", "b"] { _ = try await store.create(Document(id: id, body: ["n": 1])) }
                try await store.transact {
                    try $0.connection.execute("INSERT INTO local VALUES('_local/x', 1, x'7b7d')")
                    try $0.connection.execute(FileFormat.RareTable.conflicted.definition)
                    try $0.connection.execute("PRAGMA ignore_check_constraints = ON; \(damage)")
                }
                let path = directory.path + "/copy"
                try await store.backup(to: path)
                await expectFailure(.corrupt) { try await manager.restore(from: path, named: "restored") }
                #expect(try await manager.names() == ["test"])
            }
        }
    }

    @Test(arguments: [
        "CREATE TRIGGER t AFTER INSERT ON documents BEGIN DELETE FROM documents; END", "CREATE VIEW v AS SELECT 1",
    ])
    func backupsWithTriggersOrViewsAreRefused(statement: String) async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                try await store.transact { try $0.connection.execute(statement) }
                let path = directory.path + "/copy"
                try await store.backup(to: path)
                await expectFailure(.invalidBackup) { try await manager.restore(from: path, named: "restored") }
                #expect(try await manager.names() == ["test"])
            }
        }
    }

    @Test(arguments: [Int64.min, -1, .max])
    func impossibleNumbersAreDamage(number: Int64) throws {
        #expect(throws: StoreError.self) { try DatabaseState.number(number) }
        #expect(throws: StoreError.self) {
            try StoredBlob(storedNumber: number, length: 1, digest: [], md5: [])
        }
        #expect(throws: StoreError.self) {
            try StoredBlob(storedNumber: 1, length: Int(number), digest: [], md5: [])
        }
        #expect(StoredBlob.absent(length: Int(number), md5Text: AttachmentDigest.text(of: [])) == nil)
    }

    @Test func possibleNumbersAreAccepted() throws {
        #expect(try DatabaseState.number(DatabaseState.numberMax) == DatabaseState.numberMax)
        let blob = try StoredBlob(
            storedNumber: StoredBlob.numberMax, length: StoredBlob.lengthMax, digest: [], md5: [])
        #expect(blob.number == StoredBlob.numberMax)
        #expect(BlobTable.lastChunkKey(blob: 1) == BlobTable.chunkKey(blob: 2, chunk: 0) - 1)
        #expect(BlobTable.lastChunkKey(blob: StoredBlob.numberMax) == .max)
    }

    @Test func anAttachmentOfImpossibleLengthIsDamage() throws {
        var writer = ByteWriter()
        writer.append(run: "x".utf8)
        writer.append(run: "t/x".utf8)
        for number in [1, 1, Int.max] { writer.append(number) }
        writer.append(raw: [UInt8](repeating: 0, count: 48))
        let bytes = writer.bytes
        #expect(throws: StoreError.self) {
            try bytes.withUnsafeBytes { _ = try [AttachmentRecord](decoding: $0) }
        }
    }

    @Test func aTreeWithoutRevisionsIsDamage() throws {
        let bytes: [UInt8] = [100]
        #expect(throws: StoreError.self) { try bytes.withUnsafeBytes { _ = try RevisionTree(decoding: $0) } }
    }

    @Test func theRevisionOfALocalDocumentSaturates() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                let revision = try await store.transact {
                    try $0.saveLocal(id: "a", previous: .max, body: Array("{}".utf8))
                }
                #expect(revision == .max)
            }
        }
    }

    @Test func arrivalsWithExtremeNumbersAreSurplus() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                let surplus = try await store.transact { transaction in
                    try transaction.group.ensure(.arrivals)
                    try transaction.connection.execute(
                        """
                        INSERT INTO arrivals VALUES(x'01', 1, 9223372036854775807, 9223372036854775807,
                            -9223372036854775808);
                        INSERT INTO arrivals VALUES(x'02', 1, 1, 9223372036854775807, 9223372036854775807);
                        """)
                    return try ArrivalTable(connection: transaction.connection)
                        .surplus(at: .now, limits: transaction.limits).count
                }
                #expect(surplus == 2)
            }
        }
    }
}
