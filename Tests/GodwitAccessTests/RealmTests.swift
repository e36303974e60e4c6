//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import Testing

@testable import GodwitAccess

@Suite("Logins at a realm of the server's program", .timeLimit(.minutes(5)))
struct RealmTests {
    private func server(_ address: String) throws -> AccessServer {
        AccessServer(try RemoteURL(server: address), application: "app", transport: transport)
    }

    @Test("A delegate answers challenges in several rounds, a wrong answer is asked again")
    func rounds() async throws {
        try await AppServer.run { server in
            let (access, delegate) = (try server.access(), StaffDelegate(wrongAnswers: 1))
            await access.register(delegate, for: "staff")
            let login = try await access.logIn(realm: "staff")
            #expect(login.user == "staff-mia")
            #expect(delegate.events.withLock { $0 } == ["user", "sum", "sum", "success"])
            // The second login finds the same account.
            #expect(try await access.logIn(realm: "staff").database == login.database)
        }
    }

    @Test("A delegate that gives up ends the login, and a realm without a delegate is an error")
    func givingUp() async throws {
        try await AppServer.run { server in
            let (access, delegate) = (try server.access(), StaffDelegate(wrongAnswers: -1))
            let missing = await #expect(throws: AccessError.self) { try await access.logIn(realm: "staff") }
            #expect(missing?.code == .failed)
            await access.register(delegate, for: "staff")
            let error = await #expect(throws: AccessError.self) { try await access.logIn(realm: "staff") }
            #expect(error?.code == .cancelled)
            #expect(delegate.events.withLock { $0 } == ["user", "failure cancelled"])
        }
    }

    @Test("A token that is needed begins a login, also when another server asks for Bearer")
    func onDemand() async throws {
        try await AppServer.run { server in
            let (access, delegate) = (try server.access(), StaffDelegate())
            await access.register(delegate, for: "staff")
            let name = "\(server.address)/app_staff-mia"
            let database = try CouchDatabase(name, interceptor: access.interceptor, transport: transport)
            // The first request has no token, gets a challenge, and is repeated.
            let refused = await #expect(throws: StoreError.self) { try await database.documentCount }
            #expect(refused != nil)
            #expect(delegate.events.withLock { $0.last } == "success")
            let login = try #require(try await access.database)
            let own = try CouchDatabase(
                "\(server.address)/\(login)", interceptor: access.interceptor, transport: transport)
            #expect(try await own.documentCount == 0)
        }
    }

    @Test("A state is answered once, at its provider only, and no answer skips a round")
    func states() async throws {
        try await AppServer.run { server in
            let own = try self.server(server.address)
            let first = try await own.send("login", ["provider": "staff"])
            #expect(first.status == 401 && first.answer["error"] == "challenge")
            #expect(first.answer["challenge"]?["ask"] == "user")
            let state = try #require(first.answer["state"])
            let named = try await own.send(
                "login", ["provider": "staff", "state": state, "answer": ["user": "mia"]])
            #expect(named.answer["challenge"]?["ask"] == "sum")
            let again = try await own.send(
                "login", ["provider": "staff", "state": state, "answer": ["user": "eve"]])
            #expect(again.status == 401 && again.answer["error"] == "login_refused")
            // An answer without a state begins the login again.
            let begun = try await own.send("login", ["provider": "staff", "answer": ["sum": 5]])
            #expect(begun.answer["challenge"]?["ask"] == "user")
            let forged = try await own.send("login", ["provider": "staff", "state": "AAAA", "answer": ["sum": 5]])
            #expect(forged.answer["error"] == "login_refused")
            let empty = try await own.send(
                "login", ["provider": "staff", "state": try #require(named.answer["state"])])
            #expect(empty.status == 400)
        }
    }

    @Test("Wrong answers lock the user for the address, also against a right answer")
    func lock() async throws {
        try await AppServer.run { server in
            let own = try self.server(server.address)
            /// Logs in with a name and a sum, and returns the last answer.
            func sum(_ sum: Int64, of user: String = "mia") async throws -> (status: Int, answer: JSONValue) {
                var body: JSONObject = ["provider": "staff"]
                var last = try await own.send("login", body)
                for answer: JSONObject in [["user": .string(user)], ["sum": .integer(sum)]] {
                    (body["state"], body["answer"]) = (last.answer["state"], .object(answer))
                    last = try await own.send("login", body)
                }
                return (last.status, last.answer)
            }
            // As many wrong answers as wrong passwords are permitted for the address of the client.
            for _ in 0..<5 { #expect(try await sum(4).answer["error"] == "challenge") }
            #expect(try await sum(5).status == 403)
            // Other users are not locked.
            #expect(try await sum(5, of: "bob").status == 200)
        }
    }

    @Test("A realm that fails is an outage, and the message has no detail")
    func failure() async throws {
        try await AppServer.run { server in
            let own = try self.server(server.address)
            let first = try await own.send("login", ["provider": "staff"])
            let failed = try await own.send(
                "login",
                ["provider": "staff", "state": try #require(first.answer["state"]), "answer": ["user": "broken"]])
            #expect(failed.status == 503 && failed.answer["error"] == "provider_unavailable")
            let token = try await own.send("login", ["provider": "staff", "id_token": "x.y.z"])
            #expect(token.answer["error"] == "challenge")
        }
    }
}
