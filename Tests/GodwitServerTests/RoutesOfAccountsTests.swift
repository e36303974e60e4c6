//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes
import ServerTesting
import TestKit
import Testing

@Suite("Routes of rights, accounts and sessions", .endsWhenHung)
struct RoutesOfAccountsTests {
    /// Runs `body` with a server with the database `db`: `mia` is a member, `ada` an administrator, and `sam` is
    /// neither.
    private func withRoles(_ body: (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            for name in ["ada", "mia", "sam"] { try await server.addUser(name) }
            try await server.send(.put, "/db")
            let security: JSONValue = ["admins": ["names": ["ada"]], "members": ["names": ["mia"]]]
            #expect(try await server.send(.put, "/db/_security", json: security).status == 200)
            try await server.send(.put, "/db/tern", json: [:])
            try await body(server)
        }
    }

    private static let noAccess = "You are not authorized to access this db."

    @Test(
        "Rights to read and write documents",
        arguments: [
            (TestServer.Caller.anonymous, 401, 401), (.user("sam"), 403, 403), (.user("mia"), 200, 201),
            (.user("ada"), 200, 201), (.administrator, 200, 201),
        ])
    func documents(_ caller: TestServer.Caller, _ read: Int, _ write: Int) async throws {
        try await withRoles { server in
            let (got, put) = (
                try await server.send(.get, "/db/tern", as: caller),
                try await server.send(.put, "/db/gull", as: caller, json: [:])
            )
            #expect(got.status == read)
            #expect(put.status == write)
        }
    }

    @Test("The reasons of refusals: 401 for anonymous clients, 403 for users")
    func words() async throws {
        try await withRoles { server in
            let anonymous = try await server.send(.get, "/db", as: .anonymous)
            #expect(try anonymous.json == ["error": "unauthorized", "reason": .string(Self.noAccess)])
            let stranger = try await server.send(.get, "/db", as: .user("sam"))
            #expect(try stranger.json == ["error": "forbidden", "reason": "You are not allowed to access this db."])
            let member = try await server.send(.put, "/db/_security", as: .user("mia"), json: [:])
            #expect(try member.json == ["error": "forbidden", "reason": "You are not a db or server admin."])
            let administrator = try await server.send(.delete, "/db", as: .user("ada"))
            #expect(try administrator.json == ["error": "unauthorized", "reason": "You are not a server admin."])
        }
    }

    @Test("A database that is not there is refused like one that is")
    func missingDatabase() async throws {
        try await withRoles { server in
            let answer = try await server.send(.get, "/none", as: .user("sam"))
            #expect(answer.status == 403)
            #expect(try await server.send(.get, "/none").status == 404)
        }
    }

    @Test("Design documents are for administrators of the database")
    func designs() async throws {
        try await withRoles { server in
            let refused = try await server.send(.put, "/db/_design/a", as: .user("mia"), json: [:])
            #expect(refused.status == 403)
            let made = try await server.send(.put, "/db/_design/a", as: .user("ada"), json: [:])
            #expect(made.status == 201)
        }
    }

    @Test("Rights by role; a change takes effect immediately")
    func roles() async throws {
        try await TestServer.run { server in
            try await server.addUser("mia", roles: ["crew"])
            try await server.send(.put, "/db")
            #expect(try await server.send(.get, "/db", as: .user("mia")).status == 403)
            try await server.send(.put, "/db/_security", json: ["members": ["roles": ["crew"]]])
            #expect(try await server.send(.get, "/db", as: .user("mia")).status == 200)
            try await server.send(.put, "/db/_security", json: ["members": ["roles": ["staff"]]])
            #expect(try await server.send(.get, "/db", as: .user("mia")).status == 403)
        }
    }

    @Test("Users read and change only their own document of _users")
    func users() async throws {
        try await withRoles { server in
            try await server.send(
                .put, "/_node/_local/_config/couchdb/users_db_security_editable", json: "true")
            try await server.send(.put, "/_users/_security", json: [:])
            let own = try await server.send(.get, "/_users/org.couchdb.user:mia", as: .user("mia"))
            #expect(own["name"] == "mia")
            #expect(own["password"] == nil)
            let other = try await server.send(.get, "/_users/org.couchdb.user:ada", as: .user("mia"))
            #expect(other.status == 404)
            #expect(try await server.send(.get, "/_users/_all_docs", as: .user("mia")).status == 401)
            let raised = try await server.send(
                .put, "/_users/org.couchdb.user:mia", as: .user("mia"),
                json: ["_rev": own["_rev"] ?? .null, "name": "mia", "type": "user", "roles": ["_admin"]])
            #expect(raised.status == 403)
        }
    }

    @Test("A wrong password is refused")
    func wrongPassword() async throws {
        try await withRoles { server in
            let answer = try await server.send(
                .get, "/", as: .anonymous, headers: [.authorization: "Basic bWlhOndyb25n"])
            #expect(answer.status == 401)
            #expect(try answer.json == ["error": "unauthorized", "reason": "Name or password is incorrect."])
            let form = try await server.send(
                .post, "/_session", as: .anonymous, json: ["name": "mia", "password": "wrong"])
            #expect(form.status == 401)
            #expect(form.headers[.setCookie]?.hasPrefix("AuthSession=;") == true)
        }
    }

    @Test("A session: its cookie replaces the password until the user logs out", arguments: [true, false])
    func session(_ isJSON: Bool) async throws {
        try await withRoles { server in
            let path = "/_session"
            let login =
                isJSON
                ? try await server.send(
                    .post, path, as: .anonymous, json: ["name": "mia", "password": .string(TestServer.password)])
                : try await server.send(
                    .post, path, as: .anonymous, headers: [.contentType: "application/x-www-form-urlencoded"],
                    body: Array("name=mia&password=\(TestServer.password)".utf8))
            #expect(login.status == 200)
            #expect(try login.json == ["ok": true, "name": "mia", "roles": []])
            let header = try #require(login.headers[.setCookie])
            #expect(header.contains("HttpOnly"))
            let cookie = String(header.prefix { $0 != ";" })
            let session = try await server.send(.get, path, as: .anonymous, headers: [.cookie: cookie])
            #expect(session["userCtx"]?["name"] == "mia")
            #expect(session["info"]?["authenticated"] == "cookie")
            #expect(try await server.send(.get, "/db", as: .anonymous, headers: [.cookie: cookie]).status == 200)
            let logout = try await server.send(.delete, path, as: .anonymous, headers: [.cookie: cookie])
            #expect(logout.headers[.setCookie]?.hasPrefix("AuthSession=;") == true)
        }
    }

    @Test("A changed cookie is refused")
    func forgedCookie() async throws {
        try await withRoles { server in
            let login = try await server.send(
                .post, "/_session", as: .anonymous, json: ["name": "mia", "password": .string(TestServer.password)])
            let cookie = try #require(login.headers[.setCookie]).prefix { $0 != ";" }
            let answer = try await server.send(
                .get, "/db", as: .anonymous, headers: [.cookie: String(cookie.dropLast(4)) + "AAAA"])
            #expect(answer.status == 401 || answer.status == 400)
        }
    }

    @Test("A server for valid users only refuses others, except for logins")
    func validUsersAlone() async throws {
        try await withRoles { server in
            try await server.send(.put, "/_node/_local/_config/chttpd/require_valid_user", json: "true")
            let answer = try await server.send(.get, "/", as: .anonymous)
            #expect(answer.status == 401)
            #expect(answer["reason"] == "Authentication required.")
            #expect(try await server.send(.get, "/_session", as: .anonymous).status == 200)
            #expect(try await server.send(.get, "/", as: .user("sam")).status == 200)
        }
    }
}
