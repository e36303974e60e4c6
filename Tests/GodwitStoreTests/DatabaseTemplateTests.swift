//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitKeys
import TestKit
import Testing

@testable import GodwitStore

@Suite("Templates of databases")
struct DatabaseTemplateTests {
    private struct Refused: Error {}

    private func withManager(
        _ directory: TemporaryDirectory, key: EncryptionKey? = nil, _ body: (DatastoreManager) async throws -> Void
    ) async throws {
        let manager = try DatastoreManager(
            directory: directory.path, durability: .normal, key: key, indexes: [MemberIndex()])
        do {
            try await body(manager)
            await manager.close()
        } catch {
            await manager.close()
            throw error
        }
    }

    private func template(of manager: DatastoreManager) async throws -> DatabaseTemplate {
        try await manager.template { store in
            _ = try await store.create(Document(id: "first", body: ["n": 1]))
            try await store.defineIndex("by-n", on: "n")
        }
    }

    @Test(
        "Databases from a template start with its documents and indexes, independent of each other",
        arguments: [false, true])
    func independent(isEncrypted: Bool) async throws {
        let key = isEncrypted ? EncryptionKey.random() : nil
        try await withDirectory { directory in
            try await withManager(directory, key: key) { manager in
                let template = try await template(of: manager)
                for name in ["one", "two"] {
                    try await manager.create(named: name, record: CreationRecord(), from: template)
                    let store = try await manager.existingDatastore(named: name)
                    #expect(store.isEncrypted == isEncrypted)
                    #expect(try store.document("first").body == ["n": 1])
                    #expect(try store.indexed("by-n")?.state == .complete)
                    #expect(try store.indexRows("by-n") == ["first=1"])
                }
                let (one, two) = (
                    try await manager.datastore(named: "one"), try await manager.datastore(named: "two")
                )
                #expect(one.identity.instance != two.identity.instance && one.identity.epoch != two.identity.epoch)
                _ = try await one.create(Document(id: "second", body: ["n": 2]))
                #expect(try one.indexRows("by-n") == ["first=1", "second=2"])
                #expect(try two.indexRows("by-n") == ["first=1"])
                for store in [one, two] { try await store.checkInvariants() }
                var faults: [Fault] = []
                faults += try await manager.check { report, _, _ in faults += report.faults }
                #expect(faults.isEmpty)
            }
            try await withManager(directory, key: key) { manager in
                for (name, count) in [("one", 3), ("two", 2)] {
                    let store = try await manager.existingDatastore(named: name)
                    #expect(try store.documentCount == count)
                }
            }
        }
    }

    @Test("After a crash, unopened databases from a template are not checked; written ones are")
    func restsClean() async throws {
        try await withDirectory { directory in
            let manager = try DatastoreManager(directory: directory.path, key: testKey, indexes: [MemberIndex()])
            let template = try await template(of: manager)
            for name in ["resting", "written"] {
                try await manager.create(named: name, record: CreationRecord(), from: template)
            }
            #expect(try manager.catalogue.unsettled().isEmpty)
            _ = try await manager.existingDatastore(named: "written").create(Document(id: "a", body: [:]))
            #expect(try manager.catalogue.unsettled().map(\.name) == ["written"])
            await manager.close()
        }
    }

    @Test("A template leaves no file, also if it cannot be filled")
    func leavesNothing() async throws {
        try await withDirectory { directory in
            try await withManager(directory) { manager in
                let before = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
                _ = try await template(of: manager)
                await #expect(throws: Refused.self) { _ = try await manager.template { _ in throw Refused() } }
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == before)
                #expect(try await manager.names().isEmpty)
            }
        }
    }

    @Test(
        "If a database's indexes differ from others with the same design documents, they are created when it is opened")
    func followed() async throws {
        try await withDirectory { directory in
            // A manager that does not know the kind of index writes this database.
            let without = try DatastoreManager(
                directory: directory.path, durability: .normal, key: nil, indexes: [])
            let store = try await without.datastore(named: "old")
            _ = try await store.create(Document(id: "first", body: ["n": 1]))
            try await store.defineIndex("by-n", on: "n")
            await without.close()
            for _ in 0..<2 {
                try await withManager(directory) { manager in
                    // The template has the same design documents, with their index.
                    try await manager.create(
                        named: "new\(UUID().uuidString.lowercased())", record: CreationRecord(),
                        from: try await template(of: manager))
                    for name in try await manager.names() {
                        let store = try await manager.existingDatastore(named: name)
                        try await store.waitUntilComplete("by-n")
                        #expect(try store.indexRows("by-n") == ["first=1"])
                    }
                }
            }
        }
    }
}
