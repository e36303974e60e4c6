//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The user, key or application member that makes a request, with its roles.
public struct Principal: Equatable, Sendable {
    /// The method that identified a principal, in CouchDB's terms.
    public enum Authentication: String, Sendable {
        case cookie
        /// Name and password in the request.
        case basic = "default"
        case jwt
        case proxy
    }

    /// The name; `nil` for an anonymous principal.
    public let name: String?
    /// The roles. An administrator of the server has the role `_admin`.
    public let roles: [String]
    /// The method that identified the principal; `nil` for an anonymous principal. Also `nil` for a principal that a
    /// module creates without the credentials of a request, such as the owner of a replication.
    public let authentication: Authentication?
    /// The application and its user; `nil` for a principal that is not a user of an application.
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

    /// The principal of requests without credentials.
    public static let anonymous = Principal(name: nil, roles: [], authentication: nil)

    /// Whether a browser adds the credentials by itself, whichever page sends the request.
    var hasAmbientCredentials: Bool { authentication == .cookie || authentication == .basic }

    /// Whether the principal is an administrator of this server.
    public var isAdministrator: Bool { roles.contains("_admin") }

    /// Whether the principal has a name. Names are compared by their bytes, as in the databases.
    func isNamed(_ other: String?) -> Bool {
        guard let name, let other else { return name == nil && other == nil }
        return name.isIdenticalText(to: other)
    }
}

/// A user of an application. A module of the server stores the application's accounts.
public struct Membership: Hashable, Sendable {
    /// The application's id.
    public let application: String
    /// The user's name within the application.
    public let user: String
    /// The session on one of the user's devices; `nil` when the request was authenticated by the user's key or by a
    /// cookie that belongs to no device.
    public var session: String?
    /// The version of the app that makes the request; `nil` when the request does not name it.
    public var version: String?

    /// Creates a membership.
    public init(application: String, user: String, session: String? = nil, version: String? = nil) {
        self.application = application
        self.user = user
        self.session = session
        self.version = version
    }

    /// Whether this is the membership of a user of an application. Names are compared by their bytes, as in the
    /// databases.
    package func belongs(to user: String, of application: String) -> Bool {
        self.user.isIdenticalText(to: user) && self.application.isIdenticalText(to: application)
    }
}

/// The rights that a route requires.
public enum RouteAccess: Sendable {
    /// All clients, without a login. However, if the settings require valid users, a login is necessary.
    case anyone
    /// All clients, even if the settings require valid users. This access is for the routes of a login, and for routes
    /// that check credentials themselves.
    case login
    /// Clients on this machine that use a loopback name as the host and send the request without a proxy. It is for a
    /// page that needs no login.
    case loopback
    /// Administrators of the server.
    case administrator
    /// Principals with these rights in the database. If the name of the database begins with `_`, only administrators
    /// of the server are permitted.
    case database(DatabaseRights)
    /// Principals with these rights in the database. In `_users` and `_replicator`, further rules apply to each
    /// document. If the name of the database begins with `_`, but the database is not a system database, only
    /// administrators of the server are permitted.
    case document(DatabaseRights)
    /// Administrators of the database, for its maintenance. If the name of the database begins with `_`, but the
    /// database is not a system database, only administrators of the server are permitted.
    case upkeep
}

extension RouteAccess {
    /// Whether the route requires the right to write to a database or to administrate it; `false` for ``upkeep``.
    var isForWriting: Bool {
        switch self {
        case .database(let rights), .document(let rights): rights.contains(.write) || rights.contains(.administrate)
        case .anyone, .login, .loopback, .administrator, .upkeep: false
        }
    }
}

/// A principal's rights in a database.
public struct DatabaseRights: OptionSet, Sendable {
    /// The rights as bits.
    public let rawValue: Int

    /// Creates a set of rights.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The right to read all documents.
    public static let read = DatabaseRights(rawValue: 1)
    /// The right to write documents, except design documents.
    public static let write = DatabaseRights(rawValue: 2)
    /// The right to write `_local` documents. A replicator writes them even in databases from which it only reads other
    /// documents.
    public static let writeLocal = DatabaseRights(rawValue: 4)
    /// The rights of an administrator of the database, for example to write design documents, to change the security
    /// object and the limits, to compact the database, to remove unused indexes, and to create a backup.
    public static let administrate = DatabaseRights(rawValue: 8)

    static let member: DatabaseRights = [.read, .write, .writeLocal]
    static let all: DatabaseRights = [.read, .write, .writeLocal, .administrate]
}
