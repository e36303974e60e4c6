//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitServer
import GodwitStore

// The Bluelist adapter of MobileFirst gave each user of an app a database and a session cookie for this database. The
// name of the database was derived from the user's name. This server does the same, with two differences. First, it
// creates the database, its rights and its index in one step. Therefore a crash or a failure cannot result in an
// incomplete database. Second, a user is a member of the database and not its administrator.

/// A user's access to the database that the Bluelist adapter created for the user.
struct BluelistAccess: Sendable {
    /// The principal's name.
    let name: String
    /// The principal's roles.
    let roles: [String]
    /// The name of the database.
    let database: String
    /// The value of a `Set-Cookie` header with a session cookie.
    let cookieHeader: String
}

extension Backend {
    /// The design document that contains the index of all objects by their type. IMFData, the client library of
    /// MobileFirst, created the same document.
    private static let objectIndex: JSONObject = [
        "index": ["fields": ["@datatype"]], "name": "_imfdata_defaultdatatype", "ddoc": "_imfdata_defaultdatatype",
    ]

    /// Returns the name of the database that the Bluelist adapter gives a user.
    static func bluelistDatabase(of user: String) -> String {
        "todosdb_\(Array(Insecure.SHA1.hash(data: Array(user.utf8))).hexadecimal)"
    }

    /// Begins a session with which a user can use the user's database. If the database does not exist, it is created
    /// with the index of objects.
    ///
    /// - Parameter device: The device. When the session of the device ends, the cookie becomes invalid. `nil` if the
    ///   device is unknown.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/userNotFound``, ``AccountError/Code/accountBlocked``,
    ///   or ``AccountError/Code/databaseExists`` when the database is not this user's; `StoreError`.
    func enroll(_ user: String, in application: Application, on device: String?) async throws -> BluelistAccess {
        let access = try await bluelistAccess(of: user, in: application, on: device)
        let own = Backend.security(ofDatabaseOf: user, in: application)
        guard try await manager.security(of: access.database) != .some(.some(own)) else { return access }
        let designs = try Application.Contents(indexes: [Backend.objectIndex]).documents()
        let template = try await manager.template { try await $0.ensureDesigns(designs) }
        do throws(StoreError) {
            try await manager.create(named: access.database, record: CreationRecord(security: own), from: template)
        } catch {
            guard error.code == .databaseExists else { throw error }
            guard try await manager.security(of: access.database) == .some(.some(own)) else {
                throw AccountError(
                    .databaseExists, "The database \(access.database) exists already and does not belong to this user.")
            }
        }
        return access
    }

    /// Returns a user's access with a new session cookie.
    ///
    /// - Parameter device: The device. When the session of the device ends, the cookie becomes invalid. `nil` if the
    ///   device is unknown.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/userNotFound`` or ``AccountError/Code/accountBlocked``.
    func bluelistAccess(
        of user: String, in application: Application, on device: String?
    ) async throws -> BluelistAccess {
        guard let account = try await accounts(application).account(named: user) else {
            throw AccountError.userNotFound
        }
        if account.isBlocked { throw AccountError.accountBlocked }
        let principal = try session(of: account, in: application).principal(.cookie)
        return BluelistAccess(
            name: application.principalName(of: user), roles: principal.roles,
            database: Backend.bluelistDatabase(of: user),
            cookieHeader: try await cookieHeader(for: account, in: application, on: device))
    }

    /// Deletes a user's database of the Bluelist adapter, and ends the user's session cookies.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/userNotFound``; `StoreError`.
    func disenroll(_ user: String, in application: Application) async throws {
        try await endCookies(of: user, in: application)
        try await deleteBluelistDatabase(of: user, in: application)
    }

    /// Deletes a user's database of the Bluelist adapter. Does nothing when the user has no such database.
    func deleteBluelistDatabase(of user: String, in application: Application) async throws {
        let database = Backend.bluelistDatabase(of: user)
        let own = Backend.security(ofDatabaseOf: user, in: application)
        guard try await manager.security(of: database) == .some(.some(own)) else { return }
        try await server.delete(database)
    }

    /// Ends all sessions of a user that use cookies. The sessions of devices and the user's keys remain valid.
    func endCookies(of user: String, in application: Application) async throws {
        try await change(user, in: application) { $0.sessionSalt = UserAccount.newSalt() }
    }
}
