//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitJSON
import GodwitSQLite
import Testing

@testable import GodwitStore

/// Tests many databases in one directory.
@Suite("Many databases")
struct OpenFilesTests {
    @Test("Never more databases than the limit have open files, and all can be used")
    func bound() async throws {
        var limits = StoreLimits()
        limits.databasesOpenMax = 8
        try await withDirectory { directory in
            try await directory.withManager(limits: limits) { manager in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for n in 0..<60 {
                        group.addTask {
                            let store = try await manager.datastore(named: "d\(n)")
                            for id in ["a", "b"] { _ = try await store.create(Document(id: id, body: [:])) }
                        }
                    }
                    try await group.waitForAll()
                }
                // Databases that were busy are closed by the next use of the manager.
                _ = try await manager.datastore(named: "d0").create(Document(id: "c", body: [:]))
                #expect(manager.openFiles.count <= 8 + StoreLimits.blockingThreadsMax)
                for n in 0..<60 {
                    let store = try await manager.datastore(named: "d\(n)")
                    #expect(try store.documents(["a", "b"]).allSatisfy { $0 != nil })
                    _ = try await store.create(Document(id: "later", body: [:]))
                }
                #expect(manager.openFiles.count <= 9)
                let open = try openDescriptors(below: directory.path)
                #expect(open <= 9 * 3 + 60, "\(open)")
                for n in 0..<60 { try await manager.datastore(named: "d\(n)").checkInvariants() }
            }
        }
    }

    /// Returns the number of open files below a directory; 0 when the system does not list them.
    private func openDescriptors(below directory: String) throws -> Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.count { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return target?.hasPrefix(directory) == true
        }
    }

    @Test("When memory is low, unused databases close their files, and the next use opens them")
    func shrinking() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                var stores: [Datastore] = []
                for n in 0..<5 {
                    stores.append(try await manager.datastore(named: "d\(n)"))
                    _ = try await stores[n].create(Document(id: "a", body: ["n": 1]))
                }
                #expect(manager.openFiles.count == 5)
                let openBefore = try openDescriptors(below: directory.path)
                // A snapshot has a separate connection, which stays open.
                try await stores[0].snapshot { snapshot in
                    let before = try snapshot.document("a").body
                    #expect(await manager.shrink() == 5)
                    #expect(manager.openFiles.count == 0)
                    let after = try snapshot.document("a").body
                    #expect(before == ["n": 1] && after == before)
                }
                #expect(await manager.shrink() == 0)
                let open = try openDescriptors(below: directory.path)
                #expect(open <= openBefore - 5 || openBefore == 0, "\(open) of \(openBefore)")
                for store in stores {
                    let document = try store.document("a")
                    #expect(document.body == ["n": 1])
                    _ = try await store.create(Document(id: "b", body: [:]))
                    try await store.checkInvariants()
                }
                #expect(manager.openFiles.count == 5)
            }
        }
    }

    @Test("A feed continues after its files are closed")
    func feed() async throws {
        var limits = StoreLimits()
        limits.databasesOpenMax = 2
        try await withDirectory { directory in
            try await directory.withManager(limits: limits) { manager in
                let store = try await manager.datastore(named: "watched")
                let seen = Task {
                    var ids: [String] = []
                    for try await change in store.changes(limit: 2) { ids.append(change.id) }
                    return ids
                }
                _ = try await store.create(Document(id: "a", body: [:]))
                for n in 0..<10 { _ = try await manager.datastore(named: "d\(n)").create(Document(body: [:])) }
                _ = try await store.create(Document(id: "b", body: [:]))
                #expect(try await seen.value == ["a", "b"])
            }
        }
    }

    @Test("Idle databases leave the memory, are clean in the catalogue, and can be used again")
    func lettingGo() async throws {
        var limits = StoreLimits()
        limits.databasesOpenMax = 2
        limits.databasesKeptMax = 8
        try await withDirectory { directory in
            try await directory.withManager(limits: limits, durability: .full) { manager in
                let inHand = try await manager.datastore(named: "in-hand")
                _ = try await inHand.create(Document(id: "a", body: [:]))
                let watched = try await manager.datastore(named: "watched").changes(limit: 2)
                let seen = Task {
                    var ids: [String] = []
                    for try await change in watched { ids.append(change.id) }
                    return ids
                }
                _ = try await manager.datastore(named: "watched").create(Document(id: "a", body: [:]))
                var sequences: [String: UpdateSequence] = [:]
                for round in 0..<3 {
                    for n in 0..<60 {
                        let store = try await manager.datastore(named: "d\(n)")
                        #expect(round == 0 || store.updateSequence == sequences[store.name])
                        #expect(try store.documentCount == round)
                        _ = try await store.create(Document(id: "\(round)", body: [:]))
                        sequences[store.name] = store.updateSequence
                    }
                    let count = manager.state.withLock { $0.open.all.count }
                    #expect(count < 30, "\(count)")
                    let dirty = try manager.catalogue.unsettled().map(\.name)
                    #expect(dirty.count < 30 && dirty.contains("d59"), "\(dirty)")
                }
                // Datastores that are referenced or have waiters are not replaced.
                #expect(try await manager.datastore(named: "in-hand") === inHand)
                _ = try await manager.datastore(named: "watched").create(Document(id: "b", body: [:]))
                #expect(try await seen.value == ["a", "b"])
                try await manager.delete(named: "d0")
                await #expect(throws: StoreError.self) { try await manager.existingDatastore(named: "d0") }
                for n in 1..<60 { try await manager.datastore(named: "d\(n)").checkInvariants() }
            }
            #expect(try crashState(directory) == [:])
        }
    }

    // MARK: The catalogue's marks and journal

    private func crashState(_ directory: TemporaryDirectory) throws -> [String: Catalogue.CrashState] {
        let catalogue = try Catalogue(directory: directory.path, disk: testDisk())
        defer { catalogue.close() }
        return Dictionary(uniqueKeysWithValues: try catalogue.unsettled().map { ($0.name, $0.crashState) })
    }

    @Test("A database is dirty from before its first write until its file is closed")
    func marks() async throws {
        try await withDirectory { directory in
            try await directory.withManager(durability: .full) { manager in
                for name in ["a", "b"] { _ = try await manager.datastore(named: name) }
            }
            #expect(try crashState(directory) == [:])
            try await directory.withManager(durability: .full) { manager in
                _ = try await manager.datastore(named: "b").documentCount
                _ = try await manager.datastore(named: "a").create(Document(body: [:]))
                let found = try manager.catalogue.unsettled().map(\.name)
                #expect(found == ["a"])
            }
            #expect(try crashState(directory) == [:])
        }
    }

    @Test("An unclean end without flushes starts a new epoch that branches off the old one; with flushes it does not")
    func uncleanEnd() async throws {
        for durability in [Durability.normal, .full] {
            try await withDirectory { directory in
                let before = try await directory.withManager(durability: durability) { manager in
                    let store = try await manager.datastore(named: "a")
                    for n in 0..<3 { _ = try await store.create(Document(id: "\(n)", body: [:])) }
                    return store.updateSequence
                }
                // The state that a crash would leave.
                let catalogue = try Catalogue(directory: directory.path, disk: testDisk())
                try catalogue.markDirty("a", Catalogue.CrashState(durability))
                catalogue.close()
                try await directory.withManager(durability: durability) { manager in
                    let store = try await manager.datastore(named: "a")
                    #expect((store.identity.epoch == before.epoch) == (durability == .full))
                    #expect(store.start(of: before) == 3)
                    // A number beyond the end of the same epoch belongs to a file that was replaced by an older one.
                    let lost = UpdateSequence(number: 5, epoch: before.epoch)
                    #expect(store.start(of: lost) == (durability == .full ? 0 : 3))
                }
            }
        }
    }

    @Test("The journal lists created, written and deleted databases, each once, and continues live")
    func journal() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                for name in ["a", "b", "c"] { _ = try await manager.datastore(named: name) }
                try await manager.delete(named: "b")
                var updates: [DatabaseUpdate] = []
                for try await update in manager.databaseUpdates(live: false) { updates.append(update) }
                #expect(updates.map(\.name) == ["a", "c", "b"])
                #expect(updates.map(\.kind) == [.created, .created, .deleted])
                let next = Task { () -> DatabaseUpdate? in
                    let last = updates.last?.sequence ?? 0
                    for try await update in manager.databaseUpdates(after: last) { return update }
                    return nil
                }
                _ = try await manager.datastore(named: "c").create(Document(body: [:]))
                let update = try await next.value
                #expect(update?.name == "c" && update?.kind == .updated)
            }
        }
    }

    @Test("Databases that a crash left dirty are listed as updated")
    func journalAfterCrash() async throws {
        try await withDirectory { directory in
            try await directory.withManager { _ = try await $0.datastore(named: "a") }
            let catalogue = try Catalogue(directory: directory.path, disk: testDisk())
            let last = try #require(try catalogue.updates(after: 0, rowsMax: 10).last).sequence
            try catalogue.markDirty("a", .written)
            catalogue.close()
            try await directory.withManager { manager in
                var names: [String] = []
                for try await update in manager.databaseUpdates(after: last, live: false) { names.append(update.name) }
                #expect(names == ["a"])
            }
        }
    }
}
