//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBackend
import GodwitBase
import GodwitJSON
import GodwitKeys
import GodwitStore
import GodwitSync
import GodwitTransport
import Testing

@testable import GodwitAccess

@Suite("Sessions of an app's user", .timeLimit(.minutes(5)))
struct AccessManagerTests {
    @Test("A login gives tokens with which the user's database is read and written, and a logout ends them")
    func login() async throws {
        try await AppServer.run { server in
            try await server.register("ann")
            let access = try server.access()
            #expect(try await access.user == nil)
            let none = await #expect(throws: ReplicationError.self) { try await access.token(after: nil) }
            #expect(none?.code == .unauthorized)
            let wrong = await #expect(throws: AccessError.self) { try await access.logIn(name: "ann", password: "no") }
            #expect(wrong?.code == .refused)

            let login = try await access.logIn(name: "ann", password: "secret word")
            #expect(login.user == "ann" && login.keyPassword.count > 20)
            #expect(try await access.user == "ann")
            #expect(try await access.database == login.database)
            let database = try CouchDatabase(
                "\(server.address)/\(login.database)", credentials: .tokens(access), transport: transport)
            _ = try await database.create(Document(id: "a", body: ["n": 1]))
            #expect(try await database.documentCount == 1)
            #expect(try await server.state(of: access.device, of: "ann") == "active")

            try await access.logOut()
            #expect(try await access.user == nil)
            let ended = await #expect(throws: StoreError.self) { try await database.documentCount }
            #expect(ended?.message.contains("Log in again") == true)
        }
    }

    @Test("A refused token is replaced, and the request is repeated once")
    func refusedToken() async throws {
        try await AppServer.run { server in
            try await server.register("ann")
            let refusing = RefusingTransport("app")
            let access = try server.access()
            let login = try await access.logIn(name: "ann", password: "secret word")
            let database = try CouchDatabase(
                "\(server.address)/\(login.database)", credentials: .tokens(access), transport: refusing)
            let before = await access.cachedAuthorizationHeader
            #expect(try await database.documentCount == 0)
            #expect(refusing.refusedCount == 1)
            #expect(await access.cachedAuthorizationHeader != before)
        }
    }

    @Test("Requests that need a token at the same time share one renewal")
    func sharedRenewal() async throws {
        try await AppServer.run { server in
            try await server.register("ann")
            let access = try server.access()
            _ = try await access.logIn(name: "ann", password: "secret word")
            let old = try await access.token(after: nil)
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await access.token(after: TokenRefusal(of: old, status: 401)) } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1 && tokens != [old])
            // A missing right is answered with 403: the token is renewed at most once in ten seconds.
            let first = try await access.token(after: TokenRefusal(of: tokens.first ?? "", status: 403))
            #expect(first != tokens.first)
            #expect(try await access.token(after: TokenRefusal(of: first, status: 403)) == first)
        }
    }

    @Test("A session that the server ended is removed, and the app is notified")
    func ended() async throws {
        try await AppServer.run { server in
            try await server.register("ann")
            let access = try server.access()
            _ = try await access.logIn(name: "ann", password: "secret word")
            let notices = await access.notices
            let token = try await access.token(after: nil)
            try await server.backend.logOutEverywhere("ann", in: "app")
            let error = await #expect(throws: ReplicationError.self) {
                try await access.token(after: TokenRefusal(of: token, status: 401))
            }
            #expect(error?.code == .unauthorized)
            #expect(await notices.first { _ in true } == .loggedOut)
        }
    }

    @Test("Versions of the app are warned and refused with a message and a URL")
    func versions() async throws {
        var versions = AppVersions(first: "2")
        versions.firstWithoutWarning = "3"
        versions.warning = .init("Version 3 is here.", url: "https://example.org/3")
        versions.refusal = .init("Update now.", url: "https://example.org/now")
        try await AppServer.run({ [versions] in $0.versions = versions }) { server in
            try await server.register("ann")
            let warned = try server.access(version: "2.1")
            let notices = await warned.notices
            _ = try await warned.logIn(name: "ann", password: "secret word")
            let warning = AccessNotice.versionWarning(message: "Version 3 is here.", url: "https://example.org/3")
            #expect(await notices.first { _ in true } == warning)

            let refused = try server.access(version: "1.9")
            let further = await refused.notices
            let error = await #expect(throws: AccessError.self) {
                try await refused.logIn(name: "ann", password: "secret word")
            }
            #expect(error?.code == .versionRefused && error?.url == "https://example.org/now")
            let refusal = AccessNotice.versionRefused(message: "Update now.", url: "https://example.org/now")
            #expect(await further.first { _ in true } == refusal)
        }
    }

    @Test("A stored session continues after a start of the app, and its file is encrypted and private")
    func stored() async throws {
        try await AppServer.run { server in
            try await withFolder { folder in
                try await server.register("ann")
                let (path, key) = (folder + "/session", FixedKey())
                let access = try server.access(storage: FileSessionStorage(path: path, key: key))
                _ = try await access.logIn(name: "ann", password: "secret word")
                let device = try await access.device
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                let bytes = try #require(FileManager.default.contents(atPath: path))
                #expect(!String(decoding: bytes, as: UTF8.self).contains("ann"))

                let again = try server.access(storage: FileSessionStorage(path: path, key: key))
                #expect(try await again.user == "ann")
                #expect(try await again.device == device)
                #expect(try await again.authorizationHeader().hasPrefix("Bearer "))

                // With another key the user logs in again.
                let other = try server.access(storage: FileSessionStorage(path: path, key: FixedKey()))
                #expect(try await other.user == nil)
            }
        }
    }

    @Test("The page of a proxy ends no session")
    func foreignAnswers() async throws {
        try await AppServer.run { server in
            try await server.register("ann")
            let refusing = RefusingTransport("/refresh")
            let access = try server.access(transport: refusing)
            _ = try await access.logIn(name: "ann", password: "secret word")
            let token = try await access.token(after: nil)
            refusing.answersPage.withLock { $0 = true }
            let error = await #expect(throws: ReplicationError.self) {
                try await access.token(after: TokenRefusal(of: token, status: 401))
            }
            #expect(error?.isTransient == true)
            refusing.answersPage.withLock { $0 = false }
            #expect(try await access.token(after: TokenRefusal(of: token, status: 401)) != token)
        }
    }

    @Test("A cancelled request does not end the renewal of others")
    func cancelled() async throws {
        try await AppServer.run { server in
            try await server.register("ann")
            let access = try server.access()
            _ = try await access.logIn(name: "ann", password: "secret word")
            let token = try await access.token(after: nil)
            let first = Task { try await access.token(after: TokenRefusal(of: token, status: 401)) }
            first.cancel()
            let error = await #expect(throws: ReplicationError.self) { try await first.value }
            #expect(error?.code == .cancelled)
            #expect(try await access.token(after: TokenRefusal(of: token, status: 401)) != token)
        }
    }

    @Test("A logout during a renewal remains")
    func logoutDuringRenewal() async throws {
        try await AppServer.run { server in
            try await server.register("ann")
            let access = try server.access()
            _ = try await access.logIn(name: "ann", password: "secret word")
            let token = try await access.token(after: nil)
            let renewal = Task { try? await access.token(after: TokenRefusal(of: token, status: 401)) }
            try await access.logOut()
            _ = await renewal.value
            #expect(try await access.user == nil)
            #expect(await access.cachedAuthorizationHeader == nil)
            #expect(try await server.state(of: access.device, of: "ann") == nil)
        }
    }

    @Test("An unreachable server is an error that may end, and the session remains")
    func unreachable() async throws {
        let access = try AccessManager(server: "http://127.0.0.1:1", application: "app", transport: transport)
        let error = await #expect(throws: AccessError.self) { try await access.logIn(name: "a", password: "b") }
        #expect(error?.code == .network)
        #expect(error?.replicationError.isTransient == true)
    }
}

/// A random key in memory.
struct FixedKey: KeyProvider {
    let name = "test"
    private let value = EncryptionKey.random()

    func key() async throws(KeyError) -> EncryptionKey { value }
}
