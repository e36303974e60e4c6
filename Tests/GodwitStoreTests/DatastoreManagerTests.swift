//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitSQLite
import TestKit
import Testing

@testable import GodwitStore

@Suite("Databases of a directory")
struct DatastoreManagerTests {
    @Test(
        "Names that CouchDB allows",
        arguments: ["a", "a0_$()+-/", "a/b/c", "_users", "_replicator", String(repeating: "x", count: 238)])
    func validName(_ name: String) async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                try await manager.create(named: name)
                #expect(try await manager.names() == [name])
                #expect(try await manager.existingDatastore(named: name).name == name)
            }
        }
    }

    @Test(
        "Names that CouchDB refuses",
        arguments: ["", "A", "0a", "_a", "a b", "a.b", "ä", "a\u{0}", "a\"b", String(repeating: "x", count: 239)])
    func invalidName(_ name: String) async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                await expectFailure(.invalidDatabaseName) { try await manager.create(named: name) }
                await expectFailure(.invalidDatabaseName) { _ = try await manager.datastore(named: name) }
                let names = try await manager.names()
                #expect(names.isEmpty)
            }
        }
    }

    @Test("Create, list, open, delete")
    func lifeCycle() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                await expectFailure(.databaseNotFound) { _ = try await manager.existingDatastore(named: "b") }
                try await manager.create(named: "b")
                await expectFailure(.databaseExists) { try await manager.create(named: "b") }
                let first = try await manager.datastore(named: "a")
                #expect(try await manager.datastore(named: "a") === first)
                #expect(try await manager.names() == ["a", "b"])
                try await first.save(#"{"_id":"x"}"#)
                try await manager.delete(named: "a")
                await expectFailure(.databaseNotFound) { try await manager.delete(named: "a") }
                await expectFailure(.closed) { _ = try first.document("x") }
                await expectFailure(.closed) { try await first.save(#"{"_id":"y"}"#) }
                let again = try await manager.datastore(named: "a")
                #expect(try again.documentCount == 0)
                #expect(again.identity != first.identity)
            }
        }
    }

    @Test("Written data exists after closing and reopening")
    func reopen() async throws {
        try await withDirectory { directory in
            let identity = try await directory.withManager { manager in
                let store = try await manager.datastore(named: "a/b")
                for number in 0..<50 { try await store.save(#"{"_id":"\#(number)"}"#) }
                return store.identity
            }
            try await directory.withManager { manager in
                let store = try await manager.existingDatastore(named: "a/b")
                #expect(try store.documentCount == 50)
                #expect(store.updateSequence.number == 50)
                #expect(store.identity == identity)
                try await store.checkInvariants()
            }
        }
    }

    @Test("A second manager of one directory is refused until the first is closed")
    func lock() async throws {
        try await withDirectory { directory in
            try await directory.withManager { _ in
                await expectFailure(.directoryInUse) { _ = try DatastoreManager(directory: directory.path) }
            }
            try await directory.withManager { _ in }
        }
    }

    @Test("A deletion that a crash interrupted is finished at the next start")
    func unfinishedDeletion() async throws {
        try await withDirectory { directory in
            try await directory.withManager { try await $0.create(named: "a") }
            try changeCatalogue(directory, "UPDATE databases SET state = 2")
            let file = directory.path + "/" + (try DatabaseName("a").filePath)
            #expect(FileManager.default.fileExists(atPath: file))
            try await directory.withManager { manager in
                let names = try await manager.names()
                #expect(names.isEmpty)
                #expect(!FileManager.default.fileExists(atPath: file))
            }
        }
    }

    @Test("An empty database takes at most 24 KB")
    func emptySize() async throws {
        try await withDirectory { directory in
            try await directory.withManager { _ = try await $0.datastore(named: "a") }
            let file = directory.path + "/" + (try DatabaseName("a").filePath)
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
            #expect(try #require(size) <= 24 << 10)
        }
    }

    @Test("A file with a newer or without a format is refused")
    func strangeFiles() async throws {
        try await withDirectory { directory in
            try await directory.withManager { try await $0.create(named: "a") }
            let file = directory.path + "/" + (try DatabaseName("a").filePath)
            let raw = try SQLiteConnection(path: file, access: .readWrite(creating: false), disk: testDisk())
            try raw.execute("PRAGMA user_version = 2")
            raw.close()
            try await directory.withManager { manager in
                await expectFailure(.formatTooNew) { _ = try await manager.existingDatastore(named: "a") }
            }
            try Data(repeating: 7, count: 20_000).write(to: URL(fileURLWithPath: file))
            try await directory.withManager { manager in
                await expectFailure(testKey == nil ? .corrupt : .wrongKey) {
                    _ = try await manager.existingDatastore(named: "a")
                }
            }
        }
    }

    @Test("A file without a row in the catalogue, left by a crash, is replaced")
    func leftoverFile() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                _ = try await manager.datastore(named: "a").save(#"{"_id":"x"}"#)
            }
            try changeCatalogue(directory, "DELETE FROM databases")
            let file = directory.path + "/" + (try DatabaseName("a").filePath)
            #expect(FileManager.default.fileExists(atPath: file))
            try await directory.withManager { manager in
                await expectFailure(.databaseNotFound) { _ = try await manager.existingDatastore(named: "a") }
                let store = try await manager.datastore(named: "a")
                #expect(try store.documentCount == 0)
                try await store.checkInvariants()
            }
        }
    }

    @Test("A creation whose end could not be recorded can be repeated", arguments: [false, true])
    func unfinishedCreation(hasFile: Bool) async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let name = try DatabaseName("victim")
                try manager.catalogue.beginCreation(
                    of: name.description, file: name.filePath, instance: "x", record: CreationRecord())
                if hasFile {
                    let path = URL(filePath: directory.path).appending(path: name.filePath)
                    try FileManager.default.createDirectory(
                        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data(repeating: 7, count: 20_000).write(to: path)
                }
                #expect(try await manager.names().isEmpty)
                await expectFailure(.databaseNotFound) { _ = try await manager.existingDatastore(named: "victim") }
                _ = try await manager.datastore(named: "victim").create(Document(id: "a", body: [:]))
            }
            try await directory.withManager { manager in
                let store = try await manager.existingDatastore(named: "victim")
                #expect(try store.document("a").id == "a")
            }
        }
    }

    @Test("A name is reserved until its deletion is finished, and its file is not changed")
    func nameBeingDeleted() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                try await manager.create(named: "a")
                try changeCatalogue(directory, "UPDATE databases SET state = 2")
                let file = directory.path + "/" + (try DatabaseName("a").filePath)
                let before = try Data(contentsOf: URL(filePath: file))
                await expectFailure(.databaseExists) { try await manager.create(named: "a") }
                await expectFailure(.databaseExists) { _ = try await manager.datastore(named: "a") }
                #expect(try isSame(Data(contentsOf: URL(filePath: file)), before))
            }
        }
    }

    private func changeCatalogue(_ directory: TemporaryDirectory, _ sql: String) throws {
        let catalogue = try SQLiteConnection(
            path: directory.path + "/catalogue.sqlite", access: .readWrite(creating: false), disk: testDisk())
        try catalogue.execute(sql)
        catalogue.close()
    }

    @Test("An empty file is not a database, and a damaged catalogue is distinguished from an empty one")
    func damagedFiles() async throws {
        try await withDirectory { directory in
            try await directory.withManager(durability: .full) { try await $0.create(named: "a") }
            let file = directory.path + "/" + (try DatabaseName("a").filePath)
            try Data().write(to: URL(filePath: file))
            try await directory.withManager(durability: .full) { manager in
                await expectFailure(.corrupt) { _ = try await manager.existingDatastore(named: "a") }
            }
            try Data(repeating: 7, count: 20_000).write(to: URL(filePath: directory.path + "/catalogue.sqlite"))
            for _ in 0..<2 {
                await expectFailure(testKey == nil ? .corrupt : .wrongKey) {
                    _ = try DatastoreManager(directory: directory.path)
                }
            }
        }
    }

    @Test("Deleting leaves no file, and a closed manager opens no database")
    func nothingLeft() async throws {
        try await withDirectory { directory in
            let manager = try DatastoreManager(directory: directory.path)
            try await manager.datastore(named: "a").save(#"{"_id":"x"}"#)
            let path = directory.path + "/" + (try DatabaseName("a").filePath)
            try await manager.delete(named: "a")
            let folder = URL(filePath: path).deletingLastPathComponent().path
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
            await manager.close()
            await manager.close()
            await expectFailure(.closed) { _ = try await manager.datastore(named: "a") }
            await expectFailure(.closed) { _ = try await manager.names() }
        }
    }

    @Test("A closed database is reopened as another instance with the same data")
    func closeOne() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let first = try await manager.datastore(named: "a")
                try await first.save(#"{"_id":"x"}"#)
                let same = try await manager.datastore(named: "a")
                #expect(first === same)
                await manager.close(named: "a")
                await manager.close(named: "b")
                await expectFailure(.closed) { try await first.save(#"{"_id":"y"}"#) }
                await expectFailure(.closed) { _ = try first.document("x") }
                let again = try await manager.datastore(named: "a")
                #expect(again !== first)
                #expect(try again.changedIDs() == ["x"])
            }
        }
    }

    @Test("A directory of another version is refused, and the error says what to do", arguments: [0, 99])
    func otherCatalogues(version: Int) async throws {
        try await withDirectory { directory in
            try await directory.withManager { try await $0.create(named: "a") }
            try changeCatalogue(directory, "PRAGMA user_version = \(version)")
            await expectFailure(version == 0 ? .corrupt : .formatTooNew) {
                _ = try DatastoreManager(directory: directory.path)
            }
        }
    }

    @Test("Settings are stored")
    func settings() async throws {
        try await withDirectory { directory in
            try await directory.withManager { try await $0.setSetting("k", to: [1, 2]) }
            try await directory.withManager { manager in
                let (known, unknown) = (try await manager.setting("k"), try await manager.setting("other"))
                #expect(known == [1, 2])
                #expect(unknown == nil)
            }
        }
    }
}
