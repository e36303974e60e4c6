//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitKeys
import GodwitSQLite
import Testing

@testable import GodwitStore

/// Tests the temporary files of a backup, and concurrent use of one backup.
@Suite("Encrypted backups")
struct EncryptedBackupTests {
    private static let text = "A sentence that must not be found on the disk."

    /// Runs `body` with a database of a few thousand pages and a folder for backups.
    private func withDatabase(
        encryption: Encryption? = nil, _ body: (_ store: Datastore, _ folder: String) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            let folder = directory.path + "/backups"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let manager = try DatastoreManager(
                directory: directory.path + "/data", durability: .normal, key: nil, indexes: [])
            let store = try await manager.datastore(named: "a", encryption: encryption)
            let bytes = [UInt8](repeating: Array(Self.text.utf8), count: 200_000)
            for number in 0..<2 {
                _ = try await store.create(
                    Document(
                        id: "\(number)", body: ["text": .string(Self.text)],
                        attachments: ["x": .data(bytes, contentType: "t/x")]))
            }
            do {
                try await body(store, folder)
            } catch {
                await manager.close()
                throw error
            }
            await manager.close()
        }
    }

    /// Reads all files of a folder repeatedly until it is cancelled.
    ///
    /// - Returns: The names of all files, and of those that contained the text.
    private static func watch(_ folder: String) async -> (seen: Set<String>, plain: Set<String>) {
        var (seen, plain) = (Set<String>(), Set<String>())
        while !Task.isCancelled {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                guard let bytes = try? Data(contentsOf: URL(filePath: "\(folder)/\(name)")) else { continue }
                seen.insert(name)
                if bytes.range(of: Data(text.utf8)) != nil { plain.insert(name) }
            }
            await Task.yield()
        }
        return (seen, plain)
    }

    @Test(
        "An encrypted backup of a plain database leaves no plain bytes on the disk at any time"
    )
    func nothingPlain() async throws {
        try await withDatabase { store, folder in
            let data = folder + "/../data"
            let before = try FileManager.default.contentsOfDirectory(atPath: data).sorted()
            let key = EncryptionKey.random()
            let watcher = Task.detached { await Self.watch(folder) }
            for number in 0..<3 { try await store.backup(to: "\(folder)/\(number)", as: .encrypted(.key(key))) }
            watcher.cancel()
            let (seen, plain) = await watcher.value
            #expect(!seen.isEmpty && plain.isEmpty, "\(plain) of \(seen)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["0", "1", "2"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: data).sorted() == before)
            #expect(try Backup.check("\(folder)/0", key: key) == 2)
        }
    }

    @Test("Remains of an encrypted backup after a crash are removed when its directory is opened")
    func leftBehind() async throws {
        try await withDirectory { directory in
            try await directory.withManager { _ in }
            let left = TemporaryFiles.newPath(in: directory.path)
            try DatabaseFiles.create(left)
            try await directory.withManager { _ in #expect(!DatabaseFiles.exists(left)) }
        }
    }

    @Test("While a backup is being written, it cannot be started again or re-encrypted, and the lock leaves no file")
    func beingWritten() async throws {
        try await withDatabase { store, folder in
            let path = folder + "/a"
            let first = try UnfinishedBackup(of: path)
            await expectFailure(.fileInUse) { try await store.backup(to: path) }
            await expectFailure(.fileInUse) {
                try await DatastoreManager.changeKey(ofBackup: path, from: nil, to: .random())
            }
            #expect(DatabaseFiles.exists(first.partial))
            first.end()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            // The lock file is gone when the call returns.
            for number in 0..<5 {
                try await store.backup(to: "\(folder)/\(number)")
                await expectFailure(.fileExists) { try await store.backup(to: "\(folder)/\(number)") }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 5)
        }
    }

    @Test(
        "Of many concurrent changes of a backup's key one succeeds, the others fail, and nobody reads a partial file"
    )
    func atATime() async throws {
        try await withDatabase { store, folder in
            let path = folder + "/a"
            try await store.backup(to: path)
            var old: EncryptionKey?
            var refused = 0
            for new in [EncryptionKey.random(), .random(), nil] as [EncryptionKey?] {
                let from = old
                refused += try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            do {
                                try await DatastoreManager.changeKey(ofBackup: path, from: from, to: new)
                                return 0
                            } catch let error as StoreError where error.code == .fileInUse {
                                return 1
                            }
                        }
                    }
                    group.addTask {
                        for _ in 0..<3 {
                            let count = [from, new].compactMap { try? Backup.check(path, key: $0) }.first
                            #expect(count == nil || count == 2)
                        }
                        return 0
                    }
                    return try await group.reduce(0, +)
                }
                #expect(try Backup.check(path, key: new) == 2)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
                old = new
            }
            #expect(refused > 0)
        }
    }
}

extension [UInt8] {
    fileprivate init(repeating bytes: [UInt8], count: Int) {
        self = []
        reserveCapacity(bytes.count * count)
        for _ in 0..<count { self += bytes }
    }
}
