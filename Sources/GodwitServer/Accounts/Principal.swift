//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Who makes a request.
public struct Principal: Equatable, Sendable {
    /// How a principal was known, in CouchDB's words.
    public enum Authentication: String, Sendable {
        case cookie
        /// Name and password with the request.
        case basic = "default"
        case jwt
        case proxy
    }

    /// The name; `nil` when nobody said who it is.
    public let name: String?
    /// The roles; `_admin` is an administrator of the server.
    public let roles: [String]
    /// How it was known; `nil` when nobody said who it is.
    public let authentication: Authentication?
    /// Whose account of which application it is; `nil` for the server's own users.
    public let membership: Membership?

    /// Creates a principal.
    public init(
        name: String?, roles: [String], authentication: Authentication?, membership: Membership? = nil
    ) {
        self.name = name
        self.roles = roles
        self.authentication = authentication
        self.membership = membership
    }

    /// Nobody said who it is.
    public static let anonymous = Principal(name: nil, roles: [], authentication: nil)

    /// Whether it is an administrator of this server.
    public var isAdministrator: Bool { roles.contains("_admin") }
}

/// A user of an application, as the module knows them that keeps the application's accounts.
public struct Membership: Hashable, Sendable {
    /// The application's id.
    public let application: String
    /// The user's name within the application.
    public let user: String
    /// The session on one of the user's devices; `nil` for a key.
    public var session: String?
    /// The version of the app that asks; `nil` when it does not say.
    public var version: String?

    /// Creates a membership.
    public init(application: String, user: String, session: String? = nil, version: String? = nil) {
        self.application = application
        self.user = user
        self.session = session
        self.version = version
    }
}

/// Who may use a route.
public enum RouteAccess: Sendable {
    /// Anyone, without a login, unless the server lets in valid users alone.
    case anyone
    /// Anyone at all: what is needed to log in.
    case login
    /// Anyone on this machine who asks for it under a loopback name: a page that is open without a login.
    case loopback
    /// Administrators of the server.
    case administrator
    /// Who may use the database in some way; in `_users` and `_replicator`, administrators alone.
    case database(DatabaseRights)
    /// Who may use single documents of the database in some way. What of `_users` and `_replicator` that is, the
    /// documents tell.
    case document(DatabaseRights)
    /// Administrators of the database, for its upkeep.
    case upkeep
}

extension RouteAccess {
    /// Whether it is access to a database for writing.
    var isForWriting: Bool {
        switch self {
        case .database(let rights), .document(let rights): rights.contains(.write) || rights.contains(.administrate)
        case .anyone, .login, .loopback, .administrator, .upkeep: false
        }
    }
}

/// What somebody may do in a database.
public struct DatabaseRights: OptionSet, Sendable {
    /// The rights as bits.
    public let rawValue: Int

    /// Creates a set of rights.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Reading all documents.
    public static let read = DatabaseRights(rawValue: 1)
    /// Writing documents that are no design documents.
    public static let write = DatabaseRights(rawValue: 2)
    /// Writing `_local` documents, which a replicator does in databases that it only reads.
    public static let writeLocal = DatabaseRights(rawValue: 4)
    /// Writing design documents and the security object, compacting.
    public static let administrate = DatabaseRights(rawValue: 8)

    static let member: DatabaseRights = [.read, .write, .writeLocal]
    static let all: DatabaseRights = [.read, .write, .writeLocal, .administrate]
}
