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

/// Tests databases with a separate encryption, and changes of the encryption.
@Suite("Encryption")
struct EncryptionTests {
    private static let horse = Encryption.passphrase("correct horse")
    private static let staple = Encryption.passphrase("battery staple")
    /// The encryption of a database whose key differs from the directory's key. A key is faster than a passphrase.
    private static let own = Encryption.key(.random())
    /// The lowest cost of a key file's passphrase, for tests that do not measure time.
    private static let least = ScryptCost(n: 2, r: 1, p: 1)

    /// Runs `body` with a directory without a key, independent of `GODWIT_TEST_KEY`.
    private func withManager(
        in directory: TemporaryDirectory, key: EncryptionKey? = nil,
        _ body: (DatastoreManager) async throws -> Void
    ) async throws {
        let manager = try DatastoreManager(directory: directory.path, durability: .normal, key: key, indexes: [])
        do {
            try await body(manager)
        } catch {
            await manager.close()
            throw error
        }
        await manager.close()
    }

    /// Writes documents with data in different tables: losing leaves, old bodies, attachments, local documents.
    private func fill(_ store: Datastore) async throws {
        for number in 0..<50 { try await store.save(#"{"_id":"d\#(number)","text":"a godwit"}"#) }
        try await store.graft("d1", "cba")
        try await store.graft("d1", "dba")
        var document = try store.document("d2")
        document.attachments["photo"] = .data([UInt8](repeating: 9, count: 600_000), contentType: "image/jpeg")
        _ = try await store.update(document)
        try await store.delete("d3")
    }

    private func expectFilled(_ store: Datastore) async throws {
        #expect(try store.documentCount == 49)
        #expect(try store.document("d7").body["text"] == "a godwit")
        let photo = try #require(try store.document("d2").attachments["photo"])
        let bytes = try await store.bytes(of: photo).collect(bytesMax: 1 << 20)
        #expect(isSame(bytes, [UInt8](repeating: 9, count: 600_000)))
        let faults = try await store.check()
        #expect(faults.isEmpty)
    }

    private func isPlain(_ directory: TemporaryDirectory, _ name: String) throws -> Bool {
        let bytes = try Data(contentsOf: URL(filePath: directory.path + "/" + DatabaseName(name).filePath))
        return bytes.starts(with: Data("SQLite format 3".utf8))
    }

    @Test("Each encryption opens only its own files", arguments: ["passphrase", "key", "provider"])
    func kinds(_ kind: String) async throws {
        try await withDirectory { directory in
            let file = KeyFile(path: directory.path + "/keyfile", cost: Self.least)
            if kind == "provider" { _ = try await file.create(passphrase: "p") }
            let encryption: Encryption =
                switch kind {
                case "passphrase": Self.horse
                case "key": .key(.random())
                default: .provider(KeyFileProvider(path: directory.path + "/keyfile", passphrase: "p"))
                }
            try await withManager(in: directory) { manager in
                try await fill(manager.datastore(named: "a", encryption: encryption))
            }
            #expect(try !isPlain(directory, "a"))
            try await withManager(in: directory) { manager in
                await expectFailure(.encrypted) { _ = try await manager.datastore(named: "a") }
                for wrong in [Self.staple, .key(.random())] {
                    await expectFailure(.wrongKey) { _ = try await manager.datastore(named: "a", encryption: wrong) }
                }
                try await expectFilled(manager.datastore(named: "a", encryption: encryption))
                // While the database is open, the errors are the same.
                await expectFailure(.encrypted) { _ = try await manager.existingDatastore(named: "a") }
                await expectFailure(.wrongKey) { _ = try await manager.datastore(named: "a", encryption: Self.staple) }
                _ = try await manager.existingDatastore(named: "a", encryption: encryption)
                _ = try await manager.datastore(named: "plain")
                await expectFailure(.notEncrypted) {
                    _ = try await manager.existingDatastore(named: "plain", encryption: encryption)
                }
                await manager.close(named: "plain")
                await expectFailure(.notEncrypted) {
                    _ = try await manager.existingDatastore(named: "plain", encryption: encryption)
                }
            }
        }
    }

    @Test("A provider without a key explains why, and nothing is created")
    func noKey() async throws {
        try await withDirectory { directory in
            let provider = KeyFileProvider(path: directory.path + "/none", passphrase: "p")
            try await withManager(in: directory) { manager in
                for encryption in [.provider(provider), Encryption.passphrase("")] {
                    await expectFailure(.noKey) { _ = try await manager.datastore(named: "a", encryption: encryption) }
                }
                let file = KeyFile(path: directory.path + "/keys", cost: Self.least)
                _ = try await file.create(passphrase: "right")
                let wrong = KeyFileProvider(path: file.path, passphrase: "wrong")
                await expectFailure(.wrongKey) {
                    _ = try await manager.datastore(named: "a", encryption: .provider(wrong))
                }
                let names = try await manager.names()
                #expect(names.isEmpty)
            }
        }
    }

    @Test("A database is encrypted, re-encrypted and decrypted in place, with all its content")
    func conversions() async throws {
        try await withDirectory { directory in
            let key = Encryption.key(.random())
            try await withManager(in: directory) { manager in
                let store = try await manager.datastore(named: "a")
                try await fill(store)
                try await manager.encrypt(named: "a", with: Self.horse)
                #expect(try !isPlain(directory, "a"))
                await expectFailure(.closed) { try await store.save("{}") }
                await expectFailure(.encrypted) { try await manager.encrypt(named: "a", with: Self.staple) }
                // A repetition has no effect.
                try await manager.encrypt(named: "a", with: Self.horse)
                try await expectFilled(manager.datastore(named: "a", encryption: Self.horse))
                try await manager.rekey(named: "a", from: Self.horse, to: key)
                await expectFailure(.wrongKey) { _ = try await manager.datastore(named: "a", encryption: Self.horse) }
                let again = try await manager.datastore(named: "a", encryption: key)
                try await expectFilled(again)
                try await again.save(#"{"_id":"later"}"#)
                await expectFailure(.wrongKey) { try await manager.decrypt(named: "a", with: Self.staple) }
                try await manager.decrypt(named: "a", with: key)
                #expect(try isPlain(directory, "a"))
                let plain = try await manager.datastore(named: "a")
                #expect(try plain.documentCount == 50)
                try await plain.checkInvariants()
                await expectFailure(.databaseNotFound) { try await manager.encrypt(named: "none", with: key) }
            }
        }
    }

    @Test("A directory's key is set, changed and removed; the same call finishes an interrupted change")
    func directories() async throws {
        try await withDirectory { directory in
            let (first, second) = (EncryptionKey.random(), EncryptionKey.random())
            let path = directory.path
            try await withManager(in: directory) { manager in
                for name in ["a", "b", "c"] { try await fill(manager.datastore(named: name)) }
                await expectFailure(.directoryInUse) {
                    try await DatastoreManager.changeKey(ofDirectory: path, from: nil, to: first)
                }
            }
            try await DatastoreManager.changeKey(ofDirectory: path, from: nil, to: first)
            await expectFailure(.encrypted) { _ = try DatastoreManager(directory: path, key: nil, indexes: []) }
            await expectFailure(.wrongKey) { _ = try DatastoreManager(directory: path, key: second, indexes: []) }
            // The state after a crash: one file has the new key, the others and the catalogue have the old one.
            let file = path + "/" + (try DatabaseName("b").filePath)
            let disks = try (Secret.key(first).disk(on: .system), Secret.key(second).disk(on: .system))
            try FileConversion.convert(file, from: disks.0, to: disks.1)
            await expectFailure(.invalidBackup) {
                try await DatastoreManager.changeKey(ofBackup: file, from: second, to: first)
            }
            try Data(repeating: 1, count: 4096).write(to: URL(filePath: file + ".converting"))
            try await DatastoreManager.changeKey(ofDirectory: path, from: first, to: second)
            try await withManager(in: directory, key: second) { manager in
                for name in ["a", "b", "c"] { try await expectFilled(manager.datastore(named: name)) }
                let strays = try await manager.check { report, _, _ in #expect(report.faults.isEmpty) }
                #expect(strays.isEmpty)
            }
            #expect(!FileManager.default.fileExists(atPath: file + ".converting"))
            await expectFailure(.wrongKey) {
                try await DatastoreManager.changeKey(ofDirectory: path, from: first, to: nil)
            }
            try await DatastoreManager.changeKey(ofDirectory: path, from: second, to: nil)
            #expect(try isPlain(directory, "a"))
            await expectFailure(.notEncrypted) { _ = try DatastoreManager(directory: path, key: first, indexes: []) }
            await expectFailure(.databaseNotFound) {
                try await DatastoreManager.changeKey(ofDirectory: path + "/none", from: nil, to: first)
            }
        }
    }

    @Test("After an interrupted change of its key a directory stays closed until the change is finished or reversed")
    func cutShort() async throws {
        try await withDirectory { directory in
            let (first, second, third) = (EncryptionKey.random(), EncryptionKey.random(), EncryptionKey.random())
            let path = directory.path
            try await withManager(in: directory, key: first) { manager in
                for name in ["a", "b"] { try await fill(manager.datastore(named: name)) }
                try await fill(manager.datastore(named: "own", encryption: Self.own))
            }
            // The state after a crash between two files.
            for (key, expected) in [(first, first), (second, second)] {
                try KeyChangeRecord(keys: [first, second]).write(in: path)
                let disks = try (Secret.key(first).disk(on: .system), Secret.key(second).disk(on: .system))
                let file = path + "/" + (try DatabaseName("b").filePath)
                try FileConversion.convert(file, from: disks.0, to: disks.1)
                await expectFailure(.keyChangePending) {
                    _ = try DatastoreManager(directory: path, key: key, indexes: [])
                }
                for other in [nil, third] {
                    await expectFailure(.keyChangePending) {
                        try await DatastoreManager.changeKey(ofDirectory: path, from: first, to: other)
                    }
                }
                let (from, to) = expected == first ? (second, first) : (first, second)
                let left = try await DatastoreManager.changeKey(ofDirectory: path, from: from, to: to)
                #expect(try left == [DatabaseName("own").filePath])
                try await withManager(in: directory, key: expected) { manager in
                    for name in ["a", "b"] { try await expectFilled(manager.datastore(named: name)) }
                    try await expectFilled(manager.datastore(named: "own", encryption: Self.own))
                }
            }
        }
    }

    @Test("A damaged page in one database stops a change of its directory's key before any change")
    func damagedPageBefore() async throws {
        try await withDirectory { directory in
            let (first, second) = (EncryptionKey.random(), EncryptionKey.random())
            try await withManager(in: directory, key: first) { manager in
                for name in ["a", "b"] { try await fill(manager.datastore(named: name)) }
            }
            let file = try directory.path + "/" + DatabaseName("b").filePath
            let whole = try Data(contentsOf: URL(filePath: file))
            var damaged = whole
            damaged[3 * 4096 + 99] ^= 1
            try damaged.write(to: URL(filePath: file))
            await expectFailure(.corrupt) {
                try await DatastoreManager.changeKey(ofDirectory: directory.path, from: first, to: second)
            }
            try whole.write(to: URL(filePath: file))
            try await withManager(in: directory, key: first) { manager in
                for name in ["a", "b"] { try await expectFilled(manager.datastore(named: name)) }
            }
        }
    }

    @Test("A directory's key encrypts all databases except those with a separate encryption")
    func ownAndDirectory() async throws {
        try await withDirectory { directory in
            let key = EncryptionKey.random()
            try await withManager(in: directory, key: key) { manager in
                try await fill(manager.datastore(named: "a"))
                try await fill(manager.datastore(named: "own", encryption: Self.own))
                // The directory's key can also be passed explicitly.
                try await expectFilled(manager.datastore(named: "a", encryption: .key(key)))
            }
            try await withManager(in: directory, key: key) { manager in
                try await expectFilled(manager.datastore(named: "a"))
                await expectFailure(.wrongKey) { _ = try await manager.datastore(named: "own") }
                try await expectFilled(manager.datastore(named: "own", encryption: Self.own))
                // The database is opened with the directory's key as an argument, and then without an argument.
                await manager.close(named: "a")
                _ = try await manager.datastore(named: "a", encryption: .key(key))
                try await expectFilled(manager.datastore(named: "a"))
                try await manager.decrypt(named: "own", with: Self.own)
                #expect(try !isPlain(directory, "own"))
                try await expectFilled(manager.datastore(named: "own"))
                try await manager.delete(named: "own")
                let names = try await manager.names()
                #expect(names == ["a"])
            }
        }
    }

    @Test("A backup has the encryption of its database by default, and can be restored to any encryption")
    func backups() async throws {
        try await withDirectory { directory in
            let (path, key) = (directory.path, Encryption.key(.random()))
            try await withManager(in: directory) { manager in
                let store = try await manager.datastore(named: "a", encryption: Self.horse)
                try await fill(store)
                try await store.backup(to: path + "/same")
                try await store.backup(to: path + "/plain", as: .plain)
                try await store.backup(to: path + "/other", as: .encrypted(key))
                #expect(Backup.isEncrypted(path + "/same") && Backup.isEncrypted(path + "/other"))
                #expect(!Backup.isEncrypted(path + "/plain"))
                for (position, target) in [nil, Self.own, key].enumerated() {
                    for (file, from) in [("same", Self.horse), ("plain", nil), ("other", key)] {
                        let name = "\(file)-\(position)"
                        try await manager.restore(
                            from: "\(path)/\(file)", encryptedWith: from, named: name, encryption: target)
                        try await expectFilled(manager.datastore(named: name, encryption: target))
                    }
                }
                await expectFailure(.encrypted) { try await manager.restore(from: path + "/same", named: "no") }
                await expectFailure(.wrongKey) {
                    try await manager.restore(from: path + "/same", encryptedWith: Self.staple, named: "no")
                }
                // A plain file with the name of an encrypted one.
                await expectFailure(.notEncrypted) {
                    try await manager.restore(from: path + "/plain", encryptedWith: key, named: "no")
                }
                let names = try await manager.names()
                #expect(!names.contains("no"))
            }
        }
    }

    @Test("Only their owner can read the files")
    func modes() async throws {
        try await withDirectory { directory in
            try await withManager(in: directory) { manager in
                let store = try await manager.datastore(named: "a")
                try await fill(store)
                try await store.backup(to: directory.path + "/backup")
                try await manager.encrypt(named: "a", with: Self.horse)
                try await fill(manager.datastore(named: "b", encryption: Self.horse))
                let files = try #require(FileManager.default.enumerator(atPath: directory.path))
                for case let file as String in files.allObjects {
                    let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + file)
                    guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
                    #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
                }
            }
        }
    }
}
