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

@Suite("Shared directories")
struct SharedDirectoryTests {
    private static let shared: DirectoryOptions = {
        var options = DirectoryOptions()
        options.isShared = true
        return options
    }()

    private func owner(_ directory: TemporaryDirectory, isShared: Bool = true) throws -> DatastoreManager {
        try DatastoreManager(
            directory: directory.path, durability: .normal,
            options: isShared ? Self.shared : DirectoryOptions(), indexes: [])
    }

    private func reader(_ directory: TemporaryDirectory) throws -> DatastoreManager {
        try DatastoreManager(reading: directory.path, indexes: [], followMilliseconds: 10)
    }

    private func isWaitingEnded(_ condition: () throws -> Bool) async throws -> Bool {
        for _ in 0..<2_000 {
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// The files of a directory that this process has open.
    private func openFiles(in directory: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0.hasPrefix(directory.path) }
    }

    @Test("A manager that reads sees each commit of the one that writes, and its feeds wake up")
    func reading() async throws {
        try await withDirectory { directory in
            let owner = try self.owner(directory)
            let written = try await owner.datastore(named: "trips")
            _ = try await written.create(Document(id: "a", body: ["km": 1]))
            let reader = try self.reader(directory)
            let read = try await reader.existingDatastore(named: "trips")
            #expect(reader.isReadOnly && read.isReadOnly && !written.isReadOnly)
            #expect(try read.document("a").body["km"] == 1)
            let feed = Task {
                var ids: [String] = []
                for try await change in read.changes() {
                    ids.append(change.id)
                    if ids.count == 3 { break }
                }
                return ids
            }
            var document = Document(id: "b", body: [:])
            document.attachments["x"] = .data(Array("hello".utf8), contentType: "text/plain")
            _ = try await written.create(document)
            // A read needs no follower.
            #expect(try read.document("b").attachments["x"]?.length == 5)
            _ = try await written.create(Document(id: "c", body: [:]))
            #expect(try await feed.value == ["a", "b", "c"])
            #expect(try await isWaitingEnded { read.updateSequence.number == 3 })
            #expect(try read.documentCount == 3)
            try await written.delete("a")
            #expect(try await isWaitingEnded { try read.documentCount == 2 })
            await owner.close()
            // The files remain readable after the process that writes has ended.
            #expect(try read.document("b").attachments["x"]?.length == 5)
            await reader.close()
        }
    }

    @Test("A manager that reads writes nothing")
    func refusals() async throws {
        try await withDirectory { directory in
            await expectFailure(.databaseNotFound) { _ = try self.reader(directory) }
            let owner = try self.owner(directory)
            _ = try await owner.datastore(named: "trips").create(Document(id: "a", body: [:]))
            let reader = try self.reader(directory)
            let read = try await reader.datastore(named: "trips")
            await expectFailure(.readOnly) { _ = try await read.create(Document(id: "b", body: [:])) }
            await expectFailure(.readOnly) { try await read.delete("a") }
            await expectFailure(.readOnly) { _ = try await read.compact() }
            await expectFailure(.readOnly) { try await reader.create(named: "new") }
            await expectFailure(.readOnly) { try await reader.delete(named: "trips") }
            await expectFailure(.readOnly) { try await reader.setSetting("a", to: [1]) }
            await expectFailure(.readOnly) { try await reader.encrypt(named: "trips", with: .key(.random())) }
            await expectFailure(.readOnly) {
                try await read.backup(to: directory.path + "/b", as: .encrypted(.key(.random())))
            }
            await expectFailure(.notSupported) { try await owner.encrypt(named: "trips", with: .key(.random())) }
            await expectFailure(.databaseNotFound) { _ = try await reader.datastore(named: "other") }
            #expect(try await reader.names() == ["trips"])
            #expect(try read.document("a").id == "a")
            await reader.close()
            await owner.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).contains("catalogue.sqlite"))
        }
    }

    @Test("A database that the other manager deletes or makes again is closed")
    func deletion() async throws {
        try await withDirectory { directory in
            let owner = try self.owner(directory)
            _ = try await owner.datastore(named: "trips").create(Document(id: "a", body: [:]))
            let reader = try self.reader(directory)
            let read = try await reader.existingDatastore(named: "trips")
            let feed = Task { for try await _ in read.changes(since: read.updateSequence) {} }
            try await owner.delete(named: "trips")
            _ = try await owner.datastore(named: "trips").create(Document(id: "b", body: [:]))
            _ = await feed.result
            #expect(try await isWaitingEnded { (try? read.documents(["a"])) == nil })
            let again = try await reader.existingDatastore(named: "trips")
            #expect(try again.documents(["a", "b"]).map { $0?.id } == [nil, "b"])
            await reader.close()
            await owner.close()
        }
    }

    @Test(
        "A suspended manager has no open file, and its datastores work after it is resumed", arguments: [true, false])
    func suspension(isShared: Bool) async throws {
        try await withDirectory { directory in
            let owner = try self.owner(directory, isShared: isShared)
            let store = try await owner.datastore(named: "trips")
            _ = try await store.create(Document(id: "a", body: [:]))
            let changed = try await owner.datastore(named: "changed")
            _ = try await changed.create(Document(id: "a", body: [:]))
            var expiring = Document(id: "late", body: [:])
            expiring.body["n"] = 1
            _ = try await store.create(expiring)
            #expect(try !openFiles(in: directory).isEmpty)
            #expect(await owner.suspend())
            #expect(try openFiles(in: directory).isEmpty)
            await expectFailure(.suspended) { _ = try store.document("a") }
            await expectFailure(.suspended) { _ = try await store.create(Document(id: "b", body: [:])) }
            await expectFailure(.suspended) { _ = try await owner.names() }
            await expectFailure(.suspended) { _ = try await owner.datastore(named: "new") }
            #expect(try openFiles(in: directory).isEmpty)
            let other = try self.owner(directory)
            _ = try await other.existingDatastore(named: "changed").create(Document(id: "b", body: [:]))
            await expectFailure(.directoryInUse) { try await owner.resume() }
            await expectFailure(.suspended) { _ = try store.document("a") }
            await other.close()
            try await owner.resume()
            try await owner.resume()
            #expect(try store.document("a").id == "a")
            _ = try await store.create(Document(id: "b", body: [:]))
            await expectFailure(.closed) { _ = try changed.document("a") }
            let again = try await owner.existingDatastore(named: "changed")
            #expect(try again.document("b").id == "b")
            try await store.checkInvariants()
            try await again.checkInvariants()
            #expect(await owner.suspend())
            await owner.close()
            #expect(try openFiles(in: directory).isEmpty)
        }
    }

    @Test("A suspended manager that is closed or resumed leaves the marks that another manager has set")
    func marks() async throws {
        for isClosed in [true, false] {
            try await withDirectory { directory in
                let owner = try self.owner(directory)
                _ = try await owner.datastore(named: "trips").create(Document(id: "a", body: [:]))
                #expect(await owner.suspend())
                let other = try self.owner(directory)
                _ = try await other.existingDatastore(named: "trips").create(Document(id: "b", body: [:]))
                #expect(try other.catalogue.entry(of: "trips")?.crashState == .writtenUnflushed)
                #expect(await owner.shrink() == 0)
                if isClosed {
                    await owner.close()
                    #expect(try other.catalogue.entry(of: "trips")?.crashState == .writtenUnflushed)
                    await other.close()
                } else {
                    await other.close()
                    try await owner.resume()
                    let again = try await owner.existingDatastore(named: "trips")
                    #expect(try owner.catalogue.entry(of: "trips")?.crashState == .clean)
                    _ = try await again.create(Document(id: "c", body: [:]))
                    #expect(try owner.catalogue.entry(of: "trips")?.crashState == .writtenUnflushed)
                    await owner.close()
                }
                #expect(try openFiles(in: directory).isEmpty)
            }
        }
    }

    @Test("Feeds wait while the manager is suspended, and continue")
    func feeds() async throws {
        try await withDirectory { directory in
            let owner = try self.owner(directory)
            let store = try await owner.datastore(named: "trips")
            let feed = Task {
                var ids: [String] = []
                for try await change in store.changes(withDocuments: true) {
                    ids.append(change.id)
                    if ids.count == 40 { break }
                }
                return ids
            }
            let updates = Task {
                for try await update in owner.databaseUpdates(live: true) where update.name == "last" { return true }
                return false
            }
            for number in 0..<40 {
                let write = Task { try await store.create(Document(id: "\(number)", body: [:])) }
                #expect(await owner.suspend())
                try await owner.resume()
                if case .failure = await write.result {
                    _ = try await store.create(Document(id: "\(number)", body: [:]))
                }
            }
            #expect(try await feed.value.count == 40)
            _ = try await owner.datastore(named: "last")
            #expect(try await updates.value)
            await owner.close()
        }
    }

    @Test("Suspending and resuming from several tasks ends in an active manager that holds the lock")
    func transitions() async throws {
        try await withDirectory { directory in
            let owner = try self.owner(directory)
            let store = try await owner.datastore(named: "trips")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        for number in 0..<15 {
                            if task < 2 { await owner.suspend() } else { try await owner.resume() }
                            _ = try? await store.create(Document(id: "\(task)-\(number)", body: [:]))
                            _ = try? store.documentCount
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await owner.resume()
            await expectFailure(.directoryInUse) { _ = try self.owner(directory) }
            _ = try await store.create(Document(id: "last", body: [:]))
            #expect(try store.document("last").id == "last")
            try await store.checkInvariants()
            await owner.close()
            #expect(try openFiles(in: directory).isEmpty)
        }
    }

    @Test("A manager that reads can be suspended too, and follows the commits that it missed")
    func suspendedReader() async throws {
        try await withDirectory { directory in
            let owner = try self.owner(directory)
            let written = try await owner.datastore(named: "trips")
            _ = try await written.create(Document(id: "a", body: [:]))
            let reader = try self.reader(directory)
            let read = try await reader.existingDatastore(named: "trips")
            #expect(await reader.suspend())
            await expectFailure(.suspended) { _ = try read.document("a") }
            _ = try await written.create(Document(id: "b", body: [:]))
            try await reader.resume()
            #expect(try read.document("b").id == "b")
            #expect(try await isWaitingEnded { read.updateSequence.number == 2 })
            await reader.close()
            await owner.close()
        }
    }

    @Test("An encrypted directory is not shared, nor is a database with a key of its own")
    func encryption() async throws {
        try await withDirectory { directory in
            await expectFailure(.notSupported) {
                _ = try DatastoreManager(
                    directory: directory.path, key: .random(), options: Self.shared, indexes: [])
            }
            let owner = try self.owner(directory)
            await expectFailure(.notSupported) {
                _ = try await owner.datastore(named: "trips", encryption: .key(.random()))
            }
            await owner.close()
            let encrypted = try TemporaryDirectory()
            defer { encrypted.remove() }
            await (try DatastoreManager(directory: encrypted.path, key: .random(), indexes: [])).close()
            await expectFailure(.encrypted) { _ = try self.reader(encrypted) }
        }
    }

    @Test("A manager with an operation that does not end in time is not suspended")
    func busy() async throws {
        try await withDirectory { directory in
            let owner = try self.owner(directory)
            let store = try await owner.datastore(named: "trips")
            let (began, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let write = Task {
                try await store.write { transaction in
                    began.signal()
                    end.wait()
                    _ = try transaction.create(Document(id: "a", body: [:]))
                }
            }
            await Task.detached { began.waitOnThread() }.value
            #expect(await !owner.suspend(secondsMax: 0.05))
            end.signal()
            try await write.value
            #expect(try store.document("a").id == "a")
            #expect(await owner.suspend())
            try await owner.resume()
            #expect(try store.document("a").id == "a")
            await owner.close()
        }
    }
}

extension DispatchSemaphore {
    fileprivate func waitOnThread() { wait() }
}
