//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer

/// A login on a page that serves the users of an application and the users of the server, for example analysts.
public struct PageLogin: Sendable {
    /// The name of the user of the application or of the server.
    public let name: String
    /// The name of the database of an application's user; `nil` for a user of the server.
    public let database: String?
    /// The roles of a user of the server; empty for a user of an application.
    public let roles: [String]
    /// The value of a `Set-Cookie` header with a session cookie.
    public let cookieHeader: String
}

extension Backend {
    /// Logs in a user of an application. If the application has no user with this name and password, logs in a user of
    /// the server.
    ///
    /// The application and the server may both have a user with this name. Then the user whose password is given is
    /// logged in. Therefore an analyst can still log in if another person registers the name of the analyst in the
    /// application.
    ///
    /// - Parameter address: The client's address, for which failed attempts are counted and slowed down.
    /// - Throws: The errors of ``logIn(_:password:in:device:version:secondFactor:from:)``.
    public func logInOnPage(
        _ name: String, password: String, in application: String, from address: String
    ) async throws -> PageLogin {
        let principal = try self.application(application).principalName(of: name)
        guard try await account(named: principal) != nil else {
            return try await logInOnServer(name, password: password, from: address)
        }
        do {
            let login = try await logIn(name, password: password, in: application, from: address)
            return PageLogin(name: login.user, database: login.database, roles: [], cookieHeader: login.cookieHeader)
        } catch is HTTPFailure {
            // The login on the server is tried even if the server has no user of this name. Therefore the response time
            // does not reveal which users exist.
            return try await logInOnServer(name, password: password, from: address)
        }
    }

    private func logInOnServer(_ name: String, password: String, from address: String) async throws -> PageLogin {
        let authenticator = try server.authenticator
        let account = try await authenticator.logIn(name: name, password: password, from: address, beginsSession: true)
        let principal = try account.principal(.cookie)
        return PageLogin(
            name: account.principalName, database: nil, roles: principal.roles,
            cookieHeader: authenticator.cookieHeader(for: account))
    }
}
