//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GodwitKeys
import LocationTrackerClient
import Testing

@Suite("Credentials on the device")
struct CredentialStoreTests {
    @Test("Saved credentials can be read at the next launch, only by the owner, and are encrypted")
    func roundTrip() async throws {
        let folder = try TemporaryFolder()
        let (path, key) = ("\(folder.path)/credentials", FixedKey())
        #expect(try await FileCredentialStore(path: path, key: key).load() == nil)
        try await FileCredentialStore(path: path, key: key).save(.test())
        #expect(try await FileCredentialStore(path: path, key: key).load() == .test())
        #expect(try folder.mode("credentials") == 0o600)
        for secret in ["ana", "key-of-ana", "password-of-the-key", "lt_locations"] {
            #expect(
                try folder.contents().allSatisfy { $0.range(of: Data(secret.utf8)) == nil }, "\(secret) is in plain")
        }
        try await FileCredentialStore(path: path, key: key).save(.test("ben"))
        #expect(try await FileCredentialStore(path: path, key: key).load()?.username == "ben")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["credentials"])
        try await FileCredentialStore(path: path, key: FixedKey()).remove()
        try await FileCredentialStore(path: path, key: FixedKey()).remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("They cannot be decrypted with another key")
    func otherKey() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/credentials"
        try await FileCredentialStore(path: path, key: FixedKey()).save(.test())
        let error = await #expect(throws: TrackerError.self) {
            try await FileCredentialStore(path: path, key: FixedKey()).load()
        }
        #expect(error?.code == .locked)
    }

    @Test("A change of any byte is detected")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let (path, key) = ("\(folder.path)/credentials", FixedKey())
        try await FileCredentialStore(path: path, key: key).save(.test())
        let original = try Data(contentsOf: URL(filePath: path))
        for index in original.indices {
            var bytes = original
            bytes[index] ^= 1
            try bytes.write(to: URL(filePath: path))
            await #expect(throws: TrackerError.self, "byte \(index) was changed") {
                try await FileCredentialStore(path: path, key: key).load()
            }
            try original.prefix(index).write(to: URL(filePath: path))
            await #expect(throws: TrackerError.self, "cut to \(index) bytes") {
                try await FileCredentialStore(path: path, key: key).load()
            }
        }
    }

    @Test("The description of an account contains no secret")
    func description() {
        var dumped = "\(TrackerAccount.test()) \(String(reflecting: TrackerAccount.test()))"
        dump(TrackerAccount.test(), to: &dumped)
        #expect(dumped.contains("ana") && !dumped.contains("password-of-the-key") && !dumped.contains("key-of-ana"))
    }
}

@Suite("The device's key is protected by a password")
struct DeviceKeyTests {
    private func key(_ folder: TemporaryFolder, _ password: String?) -> DeviceKey {
        DeviceKey(
            file: KeyFile(path: "\(folder.path)/device.key"), password: password,
            application: "location-tracker-tests")
    }

    @Test("It is created with the first password, and removed also from the kernel's memory")
    func making() async throws {
        let folder = try TemporaryFolder()
        let error = await #expect(throws: KeyError.self) { try await key(folder, nil).key() }
        #expect(error?.code == .passphraseNeeded)
        #expect(!key(folder, nil).exists)
        let createdKey = try await key(folder, "secret").key()
        #expect(try await key(folder, "secret").key() == createdKey)
        #expect(try folder.mode("device.key") == 0o600)
        #expect(try folder.contents().allSatisfy { $0.range(of: Data(createdKey.hexadecimal.utf8)) == nil })
        try await key(folder, nil).remove()
        await #expect(throws: KeyError.self) { try await key(folder, nil).key() }
    }

    @Test("A copy in another folder, as after a restart of the machine, needs the password that locked it")
    func passwords() async throws {
        let (folder, otherFolder) = (try TemporaryFolder(), try TemporaryFolder())
        let createdKey = try await key(folder, "secret").key()
        let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/device.key"))
        // The kernel stores the key under a name that depends only on the bytes of the key file. With this name, the
        // key would also be found for the copy of the file. Therefore, the key is first removed from the kernel.
        try await key(folder, nil).remove()
        try bytes.write(to: URL(filePath: "\(otherFolder.path)/device.key"))
        let missingPasswordError = await #expect(throws: KeyError.self) { try await key(otherFolder, nil).key() }
        #expect(missingPasswordError?.code == .passphraseNeeded)
        let wrongPasswordError = await #expect(throws: KeyError.self) { try await key(otherFolder, "wrong").key() }
        #expect(wrongPasswordError?.code == .wrongPassphrase)
        #expect(try await key(otherFolder, "secret").key() == createdKey)
        try await key(otherFolder, nil).remove()
    }

    @Test(
        "After a change of the password the new one protects the key if the kernel still has it, else the old one"
    )
    func changedPassword() async throws {
        let (folder, otherFolder) = (try TemporaryFolder(), try TemporaryFolder())
        let createdKey = try await key(folder, "old").key()
        let isRemembered = (try? await key(folder, nil).key()) != nil
        if isRemembered {
            try await key(folder, "new").adoptPassword()
        } else {
            let error = await #expect(throws: KeyError.self) { try await key(folder, "new").adoptPassword() }
            #expect(error?.code == .wrongPassphrase)
        }
        let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/device.key"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["device.key"])
        try await key(folder, nil).remove()
        try bytes.write(to: URL(filePath: "\(otherFolder.path)/device.key"))
        let (acceptedPassword, refusedPassword) = isRemembered ? ("new", "old") : ("old", "new")
        await #expect(throws: KeyError.self) { try await key(otherFolder, refusedPassword).key() }
        #expect(try await key(otherFolder, acceptedPassword).key() == createdKey)
        try await key(otherFolder, nil).remove()
    }
}
