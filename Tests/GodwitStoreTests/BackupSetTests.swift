//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Backups of all databases")
struct BackupSetTests {
    private func withSets(
        _ body: (_ manager: DatastoreManager, _ sets: BackupSets) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: directory.path + "/data", withIntermediateDirectories: true)
            let manager = try DatastoreManager(directory: directory.path + "/data", durability: .normal)
            do {
                try await body(manager, BackupSets(directory: directory.path + "/backups"))
            } catch {
                await manager.close()
                throw error
            }
            await manager.close()
        }
    }

    @Test("A set has each database, with its security object, and restores under another name")
    func restoring() async throws {
        try await withSets { manager, sets in
            for name in ["a", "b/c", "z"] {
                let store = try await manager.datastore(named: name)
                _ = try await store.create(Document(id: "doc", body: ["of": .string(name)]))
            }
            try await manager.setSecurity(of: "b/c", to: Array("{}".utf8))
            let summary = try await manager.backUpAll(to: sets, named: "20260101T000000Z") { _, _ in }
            #expect(summary.databases == 3 && summary.documents == 3 && summary.failures == 0)
            #expect(sets.names == ["20260101T000000Z"])
            let path = sets.path(of: sets.names[0])
            #expect(try await manager.entries(of: path, from: "b", rowsMax: 10).map(\.name) == ["b/c", "z"])
            #expect(try await manager.entries(of: path, from: "", rowsMax: 1).map(\.name) == ["a"])
            try await manager.restore("b/c", ofSet: path, as: "copy")
            #expect(try await manager.existingDatastore(named: "copy").document("doc").body["of"] == "b/c")
            #expect(try await manager.security(of: "copy") == .some(Array("{}".utf8)))
            await expectFailure(.databaseNotFound) { try await manager.restore("none", ofSet: path, as: "other") }
            await expectFailure(.databaseExists) { try await manager.restore("a", ofSet: path, as: "z") }
        }
    }

    @Test("A cancelled backup of all databases leaves nothing")
    func cancelling() async throws {
        try await withSets { manager, sets in
            for number in 0..<20 { _ = try await manager.datastore(named: "db\(number)") }
            let task = Task { try await manager.backUpAll(to: sets, named: "20260101T000000Z") { _, _ in } }
            task.cancel()
            await #expect(throws: (any Error).self) { _ = try await task.value }
            let left = try FileManager.default.contentsOfDirectory(atPath: sets.directory)
            #expect(left.isEmpty)
        }
    }

    @Test("One process at a time writes to a directory, and unfinished sets are removed")
    func unfinished() async throws {
        try await withSets { manager, sets in
            try FileManager.default.createDirectory(
                atPath: sets.unfinishedPath(of: "20250101T000000Z"), withIntermediateDirectories: true)
            try await manager.removeUnfinished(sets)
            #expect(try FileManager.default.contentsOfDirectory(atPath: sets.directory).isEmpty)
            let lock = try BackupLock(of: sets.path(of: "set"))
            await expectFailure(.fileInUse) {
                _ = try await manager.backUpAll(to: sets, named: "20260101T000000Z") { _, _ in }
            }
            lock.release()
        }
    }

    @Test(
        "Only times are names of sets",
        arguments: [
            ("20260101T000000Z", true), ("..", false), ("", false), ("20260101T00000Z", false),
            ("20260101T000000Z/..", false), ("2026-01-01T00:00", false), ("20260101T000000Z.partial", false),
        ])
    func names(_ text: String, _ isName: Bool) { #expect(BackupSets.isName(text) == isName) }
}
