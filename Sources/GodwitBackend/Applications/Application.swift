//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitServer

/// What an application is made of on the server: whose databases it has, what lies in them, and who may use them.
///
/// ```swift
/// var tracker = Application(id: "locationtracker", users: "lt_users", databasePrefix: "lt_locations_user_")
/// tracker.shared = ["lt_places": .init(rights: ["_reader"])]
/// tracker.consolidated = .init(name: "lt_locations_all")
/// ```
///
/// In a file or a request it is JSON with the same members; docs/accounts.md lists them.
public struct Application: Sendable, Equatable {
    /// Who may make an account.
    public enum RegistrationRule: String, Sendable {
        /// Anybody who can reach the server.
        case open
        /// The server's administrators, and the application's own code.
        case administrators
    }

    /// What lies in a database from the start: its indexes and design documents.
    public struct Contents: Sendable, Equatable {
        /// Indexes as `POST /{db}/_index` takes them.
        public var indexes: [JSONObject]
        /// The bodies of design documents by their names, without `_design/`.
        public var designs: [String: JSONObject]

        /// Creates a list; nothing unless it is said.
        public init(indexes: [JSONObject] = [], designs: [String: JSONObject] = [:]) {
            self.indexes = indexes
            self.designs = designs
        }
    }

    /// A database that all users of the application share.
    public struct Shared: Sendable, Equatable {
        /// What each user may do there, in Cloudant's words: `_reader`, `_writer`, `_replicator`, `_admin`.
        public var rights: [String]
        /// Whether anybody may read it, without a login.
        public var isPublic: Bool
        /// What lies in it from the start.
        public var contents: Contents

        /// Creates a description; users may read unless it is said.
        public init(rights: [String] = ["_reader"], isPublic: Bool = false, contents: Contents = Contents()) {
            self.rights = rights
            self.isPublic = isPublic
            self.contents = contents
        }
    }

    /// The database into which the changes of all users' databases flow.
    public struct Consolidated: Sendable, Equatable {
        /// Its name.
        public var name: String
        /// What lies in it from the start.
        public var contents: Contents

        /// Creates a description.
        public init(name: String, contents: Contents = Contents()) {
            self.name = name
            self.contents = contents
        }
    }

    /// Its id, for example the bundle id of the app: letters, digits, `.`, `_` and `-`, beginning with a letter.
    public let id: String
    /// The database that holds its accounts.
    public let accountsDatabase: String
    /// What the names of the users' databases begin with.
    public let databasePrefix: String
    /// What lies in a user's database from the start. A change of it is for those who register afterwards.
    public var userDatabaseContents = Contents()
    /// Databases that all users share, by name.
    public var shared: [String: Shared] = [:]
    /// The database of all users' changes; `nil` for none.
    public var consolidated: Consolidated?
    /// Who may make an account.
    public var registration = RegistrationRule.open
    /// Accounts that may be made from one address in a minute: an IPv4 address, or an IPv6 network of 64 bits.
    public var registrationsPerMinute = BackendLimits.registrationsPerMinute
    /// What the passwords must be that users choose.
    public var passwords = PasswordRules()
    /// Which versions of the app are served.
    public var versions = AppVersions()

    /// Creates an application without shared databases, to which anybody may register.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - accountsDatabase: The database of its accounts. Default: `ID_users` in lower case.
    ///   - databasePrefix: What the names of the users' databases begin with; `ID_user_` when it is `nil`.
    public init(id: String, accountsDatabase: String? = nil, databasePrefix: String? = nil) {
        let plain = id.lowercased().replacing(".", with: "_")
        self.id = id
        self.accountsDatabase = accountsDatabase ?? "\(plain)_users"
        self.databasePrefix = databasePrefix ?? "\(plain)_user_"
    }

    /// The role of its users, by which shared databases know them.
    public var userRole: String { "\(id)/user" }

    /// The role that reads the consolidated database and, of the application's others, those alone that are public.
    public var analystRole: String { "\(id)/analyst" }

    /// What rights are given to for a user of this application: no user of `_users` and no key has such a name.
    public func principalName(of user: String) -> String { "\(id)/\(user)" }

    /// The names of its databases that are no user's own.
    var databases: [String] { [accountsDatabase] + shared.keys.sorted() + (consolidated.map { [$0.name] } ?? []) }
}
