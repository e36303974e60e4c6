//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitJSON
import GodwitServer
import GodwitStore

extension Application {
    /// Parses an application.
    ///
    /// - Parameter value: An object with the members that docs/applications.md lists.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidApplication``, whose message names the invalid
    ///   member.
    public init(_ value: JSONValue) throws(AccountError) {
        let members = try Members(
            value, "the application",
            known: [
                "id", "users", "database", "shared", "consolidated", "registration",
                "registrations_per_minute", "passwords", "versions", "url", "providers", "redirects", "bluelist",
                "mail",
            ])
        let database = try Members(
            members["database"] ?? [:], "database", known: ["prefix", "indexes", "designs"])
        guard let id = try members.text("id") else { throw .invalidApplication("the application has no id") }
        self.init(id: id, accountsDatabase: try members.text("users"), databasePrefix: try database.text("prefix"))
        userDatabaseContents = try Contents(database)
        if let value = members["shared"] {
            for (name, value) in try Members(value, "shared", known: nil).all { shared[name] = try Shared(value, name) }
        }
        consolidated = try members["consolidated"].map { value throws(AccountError) in try Consolidated(value) }
        if let text = try members.text("registration") {
            guard let rule = RegistrationRule(rawValue: text) else {
                throw .invalidApplication("registration must be \"open\" or \"administrators\"")
            }
            registration = rule
        }
        if let count = try members.number("registrations_per_minute", in: 1...BackendLimits.registrationsPerMinuteMax) {
            registrationsPerMinute = count
        }
        passwords = try PasswordRules(members["passwords"] ?? [:])
        versions = try AppVersions(members["versions"] ?? [:])
        try readLogins(members)
        try check()
    }

    /// Reads the members that concern logins with providers.
    private mutating func readLogins(_ members: Members) throws(AccountError) {
        if let text = try members.text("url") {
            guard text.begins(with: "https://") || text.begins(with: "http://"), !text.ends(with: "/") else {
                throw .invalidApplication("url must begin with https:// or http:// and not end with a slash")
            }
            url = text
        }
        redirects = try members.texts("redirects") ?? []
        guard redirects.count <= BackendLimits.redirectsMax else {
            throw .invalidApplication("it has more than \(BackendLimits.redirectsMax) redirects")
        }
        if let uri = redirects.first(where: { !RedirectRule.mayDeclare($0) }) {
            throw .invalidApplication("\(uri) is neither an https:// address nor has a scheme like com.example.app:")
        }
        mail = try members["mail"].map { value throws(AccountError) in try MailSettings(value) }
        let linked: [MailKind] = [.verification, .reset, .change]
        if let mail, url == nil, !linked.allSatisfy({ mail.links[$0] != nil }) {
            throw .invalidApplication("mail needs url, the server's address for links, or links of the app")
        }
        hasBluelist = try members.object("bluelist", known: []) != nil
        guard let list = try members.object("providers", known: nil) else { return }
        guard list.all.count <= BackendLimits.providersMax else {
            throw .invalidApplication("it has more than \(BackendLimits.providersMax) providers")
        }
        for (name, value) in list.all {
            // The characters are limited because the name becomes a part of paths, of the names of users, and of the
            // names of fields in an index.
            guard !name.isEmpty, name.utf8.allSatisfy({ Application.isLowercaseOrDigit($0) || $0 == UInt8(ascii: "-") })
            else { throw .invalidApplication("the name of a provider consists of a-z, 0-9 and -") }
            providers[name] = try ApplicationProvider(value, name)
        }
    }

    private static func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// Checks the application's id and the names of its databases.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidApplication``.
    func check() throws(AccountError) {
        let isPlain = id.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || "._-".utf8.contains(byte)
        }
        let begins = id.utf8.first.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 } ?? false
        guard isPlain, begins, id.utf8.count <= BackendLimits.applicationIDBytesMax else {
            throw .invalidApplication(
                "the id must consist of letters, digits, \".\", \"_\" and \"-\", begin with a letter and have at most "
                    + "\(BackendLimits.applicationIDBytesMax) bytes")
        }
        for name in databases + [databasePrefix] {
            do {
                _ = try DatabaseName(name)
            } catch {
                throw .invalidApplication(error.message)
            }
        }
        if let name = databases.first(where: DatabaseName.systemNames.contains) {
            throw .invalidApplication("\(name) is a database of the server: choose another name")
        }
        guard Set(databases).count == databases.count else {
            throw .invalidApplication("the names of its databases must differ")
        }
        if let name = databases.first(where: { $0.begins(with: databasePrefix) }) {
            throw .invalidApplication("\(name) begins like the databases of users: choose another name or prefix")
        }
    }

    /// The application as JSON, which ``init(_:)`` parses.
    public var json: JSONObject {
        var database = userDatabaseContents.json
        database["prefix"] = .string(databasePrefix)
        var object: JSONObject = [
            "id": .string(id), "users": .string(accountsDatabase), "database": .object(database),
            "registration": .string(registration.rawValue),
            "registrations_per_minute": .integer(Int64(registrationsPerMinute)), "passwords": .object(passwords.json),
            "versions": .object(versions.json),
        ]
        let shared = self.shared.sorted { $0.key < $1.key }.map { name, shared in
            var members = shared.contents.json
            members["rights"] = .array(shared.rights.map { .string($0) })
            members["public"] = .bool(shared.isPublic)
            for (member, rights) in [("roles", shared.roleRights), ("groups", shared.groupRights)] where !rights.isEmpty
            {
                let lists = rights.sorted { $0.key < $1.key }.map { name, list in
                    (name, JSONValue.array(list.map { .string($0) }))
                }
                members[member] = .object(JSONObject(lists))
            }
            return (name, JSONValue.object(members))
        }
        if !shared.isEmpty { object["shared"] = .object(JSONObject(shared)) }
        if let consolidated {
            var members = consolidated.contents.json
            members["name"] = .string(consolidated.name)
            object["consolidated"] = .object(members)
        }
        if let mail { object["mail"] = .object(mail.json) }
        if hasBluelist { object["bluelist"] = [:] }
        if let url { object["url"] = .string(url) }
        if !redirects.isEmpty { object["redirects"] = .array(redirects.map { .string($0) }) }
        let providers = self.providers.sorted { $0.key < $1.key }.map { ($0, JSONValue.object($1.json)) }
        if !providers.isEmpty { object["providers"] = .object(JSONObject(providers)) }
        return object
    }
}

extension Application.Contents {
    fileprivate init(_ members: Members) throws(AccountError) {
        self.init()
        if let value = members["indexes"] {
            guard let list = value.arrayValue?.map(\.objectValue), !list.contains(where: { $0 == nil }) else {
                throw .invalidApplication("indexes must be a list of objects, as for POST /{db}/_index")
            }
            indexes = list.compactMap { $0 }
        }
        guard let value = members["designs"] else { return }
        for (name, design) in try Members(value, "designs", known: nil).all {
            guard let body = design.objectValue else {
                throw .invalidApplication("the design document \(name) is not an object")
            }
            designs[name] = body
        }
    }

    fileprivate var json: JSONObject {
        var object = JSONObject()
        if !indexes.isEmpty { object["indexes"] = .array(indexes.map { .object($0) }) }
        let designs = designs.sorted { $0.key < $1.key }.map { ($0, JSONValue.object($1)) }
        if !designs.isEmpty { object["designs"] = .object(JSONObject(designs)) }
        return object
    }
}

extension Application.Shared {
    fileprivate init(_ value: JSONValue, _ name: String) throws(AccountError) {
        let members = try Members(value, name, known: ["rights", "roles", "groups", "public", "indexes", "designs"])
        self.init(contents: try Application.Contents(members))
        if let rights = try members.texts("rights") { self.rights = rights }
        if let flag = try members.flag("public") { isPublic = flag }
        roleRights = try Application.Shared.rights(members, "roles")
        groupRights = try Application.Shared.rights(members, "groups")
    }

    private static func rights(_ members: Members, _ name: String) throws(AccountError) -> [String: [String]] {
        guard let object = try members.object(name, known: nil) else { return [:] }
        var rights: [String: [String]] = [:]
        for key in object.all.keys {
            guard !key.isEmpty, !key.includes(":"), !key.begins(with: "_") else {
                throw .invalidApplication("\(key) cannot be the name of a role or a group")
            }
            rights[key] = try object.texts(key)
        }
        return rights
    }
}

extension Application.Consolidated {
    fileprivate init(_ value: JSONValue) throws(AccountError) {
        let members = try Members(value, "consolidated", known: ["name", "indexes", "designs"])
        guard let name = try members.text("name") else { throw .invalidApplication("consolidated has no name") }
        self.init(name: name, contents: try Application.Contents(members))
    }
}

extension PasswordRules {
    fileprivate init(_ value: JSONValue) throws(AccountError) {
        let members = try Members(value, "passwords", known: ["length_min", "refused", "allow_common"])
        self.init(
            lengthMin: try members.number("length_min", in: 1...BackendLimits.passwordLengthMinMax)
                ?? PasswordRules.lengthMinDefault,
            refused: Set(try members.texts("refused") ?? []),
            allowsCommon: try members.flag("allow_common") ?? false)
    }

    fileprivate var json: JSONObject {
        var object: JSONObject = ["length_min": .integer(Int64(lengthMin)), "allow_common": .bool(allowsCommon)]
        if !refused.isEmpty { object["refused"] = .array(refused.sorted().map { .string($0) }) }
        return object
    }
}
