//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitJSON
public import GodwitServer

/// The declaration of an application. It describes the databases of the application, their contents, and the users who
/// may use them.
///
/// ```swift
/// var tracker = Application(id: "locationtracker", accountsDatabase: "lt_users", databasePrefix: "lt_locations_user_")
/// tracker.shared = ["lt_places": .init(rights: ["_reader"])]
/// tracker.consolidated = .init(name: "lt_locations_all")
/// ```
///
/// Files and requests contain a declaration as JSON. Its members have the same names as the properties of this type;
/// docs/applications.md lists them.
public struct Application: Sendable, Equatable {
    /// The rule that defines who may register an account.
    public enum RegistrationRule: String, Sendable {
        /// Anyone who can reach the server.
        case open
        /// Only administrators of the server, and the application's own code.
        case administrators
    }

    /// The initial contents of a database: its indexes and design documents.
    public struct Contents: Sendable, Equatable {
        /// The indexes, in the format of `POST /{db}/_index`.
        public var indexes: [JSONObject]
        /// The bodies of design documents by their names, without `_design/`.
        public var designs: [String: JSONObject]

        /// Creates contents, which are empty by default.
        public init(indexes: [JSONObject] = [], designs: [String: JSONObject] = [:]) {
            self.indexes = indexes
            self.designs = designs
        }
    }

    /// A database that all users of the application share.
    public struct Shared: Sendable, Equatable {
        /// The rights of each user, as Cloudant's roles: `_reader`, `_writer`, `_replicator`, `_admin`.
        public var rights: [String]
        /// The rights that users with a role have in addition to ``rights``, keyed by role.
        public var roleRights: [String: [String]] = [:]
        /// The rights that users who join a group have in addition to ``rights``. The keys are the names of the groups,
        /// for example `members` and `admins`. Every user may join any of these groups.
        public var groupRights: [String: [String]] = [:]
        /// Whether anyone may read the database without a login.
        public var isPublic: Bool
        /// Its initial contents.
        public var contents: Contents

        /// Creates a description. By default, users may only read.
        public init(rights: [String] = ["_reader"], isPublic: Bool = false, contents: Contents = Contents()) {
            self.rights = rights
            self.isPublic = isPublic
            self.contents = contents
        }
    }

    /// The database into which the changes of all users' databases are replicated.
    public struct Consolidated: Sendable, Equatable {
        /// The database's name.
        public var name: String
        /// Its initial contents.
        public var contents: Contents

        /// Creates a description.
        public init(name: String, contents: Contents = Contents()) {
            self.name = name
            self.contents = contents
        }
    }

    /// The application's id, for example the bundle id of the app: letters, digits, `.`, `_` and `-`, beginning with a
    /// letter.
    public let id: String
    /// The name of the database with the accounts.
    public let accountsDatabase: String
    /// The prefix of the names of users' databases.
    public let databasePrefix: String
    /// The initial contents of a user's database. A change applies to users who register afterwards.
    public var userDatabaseContents = Contents()
    /// The databases that all users share, keyed by name.
    public var shared: [String: Shared] = [:]
    /// The database with the changes of all users; `nil` if the application has no such database.
    public var consolidated: Consolidated?
    /// The rule that defines who may register an account.
    public var registration = RegistrationRule.open
    /// The maximum number of registrations per minute from one client: an IPv4 address, or an IPv6 network of 64 bits.
    public var registrationsPerMinute = BackendLimits.registrationsPerMinute
    /// The rules for passwords that users choose.
    public var passwords = PasswordRules()
    /// The versions of the app that are served.
    public var versions = AppVersions()
    /// The URL at which clients reach the server, for example `https://sync.example.org`. If it is `nil`, a login in
    /// the browser uses the URL of the request.
    public var url: String?
    /// The providers with which users log in, keyed by name.
    public var providers: [String: ApplicationProvider] = [:]

    /// Whether the application trusts the verification of an account's address: by this server's mail, or by a provider
    /// that the application still has and that is trusted for the address.
    func trustsVerification(in profile: UserProfile) -> Bool {
        guard let name = profile.emailProvider, let email = profile.email else { return true }
        return providers[name]?.isTrusted(for: email) ?? false
    }
    /// The addresses to which a login in the browser may return. Each address has a scheme of the app, for example
    /// `com.example.trips:/login`, or begins with `https://`. Addresses on the user's device are always permitted.
    public var redirects: [String] = []
    /// The application's mail; `nil` when it sends none.
    var mail: MailSettings?
    /// Whether the server has the routes of IBM's Bluelist adapter for this application. At most one application has
    /// them.
    public var hasBluelist = false

    /// Creates an application with open registration. It has neither shared databases nor a consolidated database.
    ///
    /// - Parameters:
    ///   - id: The application's id.
    ///   - accountsDatabase: The name of the database with the accounts; `nil` for the name `ID_users`. In this name,
    ///     the id is in lower case, and each `.` is replaced by `_`.
    ///   - databasePrefix: The prefix of the names of users' databases; `nil` for the prefix `ID_user_`, in which the
    ///     id has the same form.
    public init(id: String, accountsDatabase: String? = nil, databasePrefix: String? = nil) {
        let plain = id.lowercased().replacingBytes(".", with: "_")
        self.id = id
        self.accountsDatabase = accountsDatabase ?? "\(plain)_users"
        self.databasePrefix = databasePrefix ?? "\(plain)_user_"
    }

    /// The role of all users, to which shared databases grant rights.
    public var userRole: String { "\(id)/user" }

    /// The role that may read the consolidated database. This role gives no rights in the other databases of the
    /// application, so its users may read only the public ones.
    public var analystRole: String { "\(id)/analyst" }

    /// Returns the name of the principal that makes a user's requests. Security objects grant rights to this name.
    /// Users of `_users` and keys cannot have such names.
    public func principalName(of user: String) -> String { "\(id)/\(user)" }

    /// Returns the role of the users who joined a group of a shared database, without the application's id. The role
    /// contains a colon. Therefore it differs from all roles that administrators can give to users.
    static func role(ofGroup group: String, in database: String) -> String { "\(database):\(group)" }

    /// The names of the application's databases, except those of users.
    var databases: [String] { [accountsDatabase] + shared.keys.sorted() + (consolidated.map { [$0.name] } ?? []) }

    /// The names of the databases that belong only to this application. Shared databases are not included, because
    /// several applications can have the same shared database.
    var ownDatabases: Set<String> { Set([accountsDatabase, consolidated?.name].compactMap(\.self)) }
}
