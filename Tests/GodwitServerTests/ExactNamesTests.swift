//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes
import ServerTesting
import TestKit
import Testing

@testable import GodwitServer

@Suite("Names and roles are compared by their bytes", .endsWhenHung)
struct ExactNamesTests {
    private static let composed = "Zo\u{EB}"
    private static let decomposed = "Zoe\u{308}"

    private func principal(_ name: String, roles: [String] = []) -> Principal {
        Principal(name: name, roles: roles, authentication: .jwt)
    }

    @Test("A canonically equivalent name or role has no rights")
    func rights() throws {
        let object = try SecurityObject([
            "admins": ["names": ["Kay"]],
            "members": ["names": [.string(Self.composed)], "roles": [.string(Self.composed)]],
            "cloudant": [Self.composed: ["_reader"]], "godwit": ["roles": [Self.composed: ["_writer"]]],
        ])
        #expect(object.rights(of: principal(Self.composed)) == .member)
        #expect(object.rights(of: principal("x", roles: [Self.composed])).contains(.write))
        #expect(object.rights(of: principal("Kay")) == .all)
        #expect(object.rights(of: principal(Self.decomposed)) == [])
        #expect(object.rights(of: principal("x", roles: [Self.decomposed])) == [])
        #expect(object.rights(of: principal("\u{212A}ay")) == [])
    }

    @Test("A canonically equivalent name is not an administrator")
    func administrators() {
        let administrators = Administrators(name: "Kay", password: "a long password")
        #expect(administrators.hash(of: "Kay") != nil)
        #expect(administrators.hash(of: "\u{212A}ay") == nil)
    }

    @Test("Principals are the same user only if their names have the same bytes")
    func named() {
        #expect(principal(Self.composed).isNamed(Self.composed))
        #expect(!principal(Self.composed).isNamed(Self.decomposed))
        #expect(!principal(Self.composed).isNamed(nil))
        #expect(Principal.anonymous.isNamed(nil))
    }

    @Test("A user cannot replace a role by a canonically equivalent one")
    func ownRoles() async throws {
        try await TestServer.run { server in
            try await server.addUser("mia", roles: [Self.composed])
            let path = "/_users/org.couchdb.user:mia"
            let own = try await server.send(.get, path, as: .user("mia"))
            var user = try #require(try own.json.objectValue)
            user["roles"] = [.string(Self.decomposed)]
            #expect(try await server.send(.put, path, as: .user("mia"), json: .object(user)).status == 403)
        }
    }

    @Test("A membership belongs to one user of one application, by bytes")
    func membership() {
        let member = Membership(application: "shop", user: "Zo\u{EB}")
        #expect(member.belongs(to: "Zo\u{EB}", of: "shop"))
        #expect(!member.belongs(to: "Zoe\u{308}", of: "shop"))
        #expect(!member.belongs(to: "Zo\u{EB}", of: "store"))
    }

    @Test(
        "The path of a library's file has no part that begins with a period",
        arguments: ["../leaflet.js", "a/../leaflet.js", "a\u{600}/../leaflet.js", ".leaflet.js", "/leaflet.js"])
    func libraryPaths(_ path: String) {
        #expect(throws: HTTPFailure.self) { _ = try LibraryFile(path, of: .leaflet) }
    }

    @Test("Cookies end at a semicolon, not at a character that Swift treats as equal to it")
    func cookies() async throws {
        try await TestServer.run { server in
            let headers: HTTPFields = [.cookie: "a=b\u{37E}AuthSession=nonsense"]
            let anonymous = try await server.send(.get, "/_session", as: .anonymous, headers: headers)
            #expect(anonymous.status == 200)
            let real: HTTPFields = [.cookie: "a=b; AuthSession=nonsense"]
            let malformed = try await server.send(.get, "/_session", as: .anonymous, headers: real)
            #expect(malformed.status == 400)
        }
    }

    @Test("The name of a user and a password are separated by the first colon, whatever follows it")
    func basic() throws {
        // `ann:` and a password that begins with a combining mark.
        let credentials = try #require(Authenticator.basic("Basic YW5uOsyBeDp5"))
        #expect(credentials.name == "ann")
        #expect(credentials.password.utf8.elementsEqual("\u{301}x:y".utf8))
    }

    @Test("A form's fields are separated by their bytes")
    func form() throws {
        let target = try RequestTarget("/x?a=1&\u{301}b=2&c=\u{301}3")
        #expect(target.query.map(\.name.utf8.count) == [1, 3, 1])
        #expect(target.value("c")?.utf8.elementsEqual("\u{301}3".utf8) == true)
    }
}
