//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBackend
import GodwitBase
import GodwitJSON
import GodwitKeys
import GodwitQuery
import GodwitStore
import GodwitSync
import GodwitTransport
import Testing

@testable import GodwitAccess

/// Data whose deletion fails a number of times.
private final class StubbornData: WipeableData {
    private let failures: Mutex<Int>

    init(failures: Int) { self.failures = Mutex(failures) }

    func wipe() async throws {
        let fails = failures.withLock { failures in
            failures -= 1
            return failures >= 0
        }
        if fails { throw StoreError(.diskFull, "The disk is full.") }
    }
}

/// Returns a key file whose passphrase is fast to try.
private func cheapKeys(_ folder: String) -> KeyFileProvider {
    KeyFileProvider(
        file: KeyFile(path: folder + "/key", cost: ScryptCost(n: 2, r: 1, p: 1)), passphrase: "word", makingFile: true)
}

@Suite("Devices that were reported lost", .timeLimit(.minutes(5)))
struct WipeTests {
    /// A device with an encrypted store.
    private struct Device {
        let manager: DatastoreManager
        let keys: KeyFileProvider
        let storage: FileSessionStorage

        init(_ folder: String) async throws {
            keys = cheapKeys(folder)
            manager = try DatastoreManager(directory: folder + "/store", key: try await keys.key())
            storage = FileSessionStorage(path: folder + "/session")
            _ = try await manager.datastore(named: "trips").create(Document(id: "a", body: [:]))
        }
    }

    @Test("At its next contact a lost device deletes store and keys, reports it, and may log in again")
    func lost() async throws {
        try await AppServer.run { server in
            try await withFolder { folder in
                try await server.register("ann")
                let device = try await Device(folder)
                let access = try server.access(storage: device.storage, wiping: [device.manager, device.keys])
                let login = try await access.logIn(name: "ann", password: "secret word")
                let notices = await access.notices
                let id = try await access.device
                let database = try CouchDatabase(
                    "\(server.address)/\(login.database)", credentials: .tokens(access), transport: transport)
                #expect(try await database.documentCount == 0)

                try await server.setState(of: id, of: "ann", "lost")
                let error = await #expect(throws: StoreError.self) { try await database.documentCount }
                #expect(error?.message.contains("reported lost") == true)
                #expect(try await device.manager.names() == [])
                #expect(!FileManager.default.fileExists(atPath: folder + "/key"))
                #expect(try await server.state(of: id, of: "ann") == "wiped")
                #expect(await notices.first { _ in true } == .wiped)
                #expect(try await access.user == nil)
                await device.manager.close()

                _ = try await access.logIn(name: "ann", password: "secret word")
                #expect(try await server.state(of: id, of: "ann") == "active")
            }
        }
    }

    @Test("The session may be encrypted with a key that is deleted, and a key that is absent is no error")
    func keyOfTheSession() async throws {
        try await AppServer.run { server in
            try await withFolder { folder in
                try await server.register("ann")
                let keys = cheapKeys(folder)
                let storage = FileSessionStorage(path: folder + "/session", key: keys)
                let access = try server.access(storage: storage, wiping: [keys])
                _ = try await access.logIn(name: "ann", password: "secret word")
                let id = try await access.device
                try await server.setState(of: id, of: "ann", "lost")
                try await keys.file.remove()
                // When the finder of the device logs out, the device gets the order too.
                let error = await #expect(throws: AccessError.self) { try await access.logOut() }
                #expect(error?.code == .deviceLost)
                #expect(try await server.state(of: id, of: "ann") == "wiped")

                let next = try server.access(storage: storage, wiping: [keys])
                #expect(try await next.user == nil)
                _ = try await next.logIn(name: "ann", password: "secret word")
            }
        }
    }

    @Test("Another user's lost device does not concern the data of the user who is logged in")
    func sharedDevice() async throws {
        try await AppServer.run { server in
            try await withFolder { folder in
                try await server.register("ann")
                try await server.register("bob")
                let device = try await Device(folder)
                let access = try server.access(storage: device.storage, wiping: [device.manager])
                _ = try await access.logIn(name: "bob", password: "secret word")
                let id = try await access.device
                try await access.clearAuthorizationData()
                _ = try await access.logIn(name: "ann", password: "secret word")
                try await server.setState(of: id, of: "bob", "lost")
                let error = await #expect(throws: AccessError.self) {
                    try await access.logIn(name: "bob", password: "secret word")
                }
                #expect(error?.code == .deviceLost)
                #expect(try await device.manager.names() == ["trips"])
                #expect(try await access.user == "ann")
                #expect(try await access.authorizationHeader().isEmpty == false)
                await device.manager.close()
            }
        }
    }

    @Test("A deletion that failed continues at the next start of the app, and only then it is reported")
    func interrupted() async throws {
        try await AppServer.run { server in
            try await withFolder { folder in
                try await server.register("ann")
                let device = try await Device(folder)
                let stubborn = StubbornData(failures: 1)
                let access = try server.access(storage: device.storage, wiping: [stubborn, device.manager])
                _ = try await access.logIn(name: "ann", password: "secret word")
                let id = try await access.device
                let token = try await access.token(after: nil)
                try await server.setState(of: id, of: "ann", "lost")
                await #expect(throws: ReplicationError.self) {
                    try await access.token(after: TokenRefusal(of: token, status: 403))
                }
                #expect(try await device.manager.names() == ["trips"])
                #expect(try await server.state(of: id, of: "ann") == "lost")

                let next = try server.access(storage: device.storage, wiping: [stubborn, device.manager])
                let error = await #expect(throws: ReplicationError.self) { try await next.token(after: nil) }
                #expect(error?.code == .unauthorized)
                #expect(try await device.manager.names() == [])
                #expect(try await server.state(of: id, of: "ann") == "wiped")
                await device.manager.close()
            }
        }
    }
}
