//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A module's store of accounts. The server searches this store in addition to the accounts that the server itself
/// stores.
package protocol AccountSource: Sendable {
    /// Whether only an account of this source can have this name.
    func owns(_ name: String) -> Bool

    /// Returns the account with a name; `nil` when this source contains no account with the name. The account may
    /// belong to a user or to a key.
    func account(named name: String) async throws -> Account?

    /// Returns the principal of a token; `nil` when the token does not belong to this source.
    ///
    /// - Throws: ``HTTPFailure`` or an ``HTTPFailureConvertible`` error. Its status is 401 when the token belongs to
    ///   this source but is expired or revoked, and 403 when the account is blocked.
    func principal(of token: String) async throws -> Principal?

    /// Authorizes a request of a member.
    ///
    /// - Returns: The principal, completed with the details of the app that are in the request, such as the app's
    ///   version.
    /// - Throws: ``HTTPFailure`` or an ``HTTPFailureConvertible`` error. Its status is 403 when the member may not make
    ///   the request, and 401 when the application no longer exists.
    func authorize(_ principal: Principal, _ request: ServerRequest) throws -> Principal

    /// Removes the module's own credentials of an administrator, such as passkeys. The server calls this method after
    /// an administrator was removed and before an administrator is added. Therefore a new administrator never inherits
    /// the credentials of a former administrator with the same name.
    func removeCredentials(ofAdministrator name: String) async throws
}

/// An account that can log in with a name and password.
package struct Account: Sendable {
    enum Kind: String, Sendable {
        case administrator
        /// A user of the `_users` database.
        case user
        /// A key with its own password and without a document in `_users`.
        case key
        /// A user of an application whose accounts a module stores.
        case member
    }

    /// The name to log in with.
    let name: String
    let kind: Kind
    /// The name to which rights are granted. It differs from ``name`` when, for instance, a key acts for a user.
    package let principalName: String
    let roles: [String]
    let hash: PasswordHash
    /// The application and the user to which the account belongs; `nil` for an account that belongs to no application.
    package var membership: Membership?
    /// The error with which a login fails although the password is right; `nil` when the account may log in.
    package var refusal: HTTPFailure?

    init(name: String, kind: Kind, roles: [String], hash: PasswordHash) {
        (self.name, self.kind, self.roles, self.hash) = (name, kind, roles, hash)
        principalName = name
    }

    /// Creates an account that a module stores.
    ///
    /// - Parameters:
    ///   - name: The name to log in with.
    ///   - principalName: The name to which rights are granted.
    ///   - membership: The application and the user to which the account belongs.
    ///   - refusal: The error with which a login fails although the password is right.
    package init(
        name: String, principalName: String, roles: [String], hash: PasswordHash, membership: Membership,
        refusal: HTTPFailure? = nil
    ) {
        (self.name, self.principalName, self.roles, self.hash) = (name, principalName, roles, hash)
        (self.membership, self.refusal) = (membership, refusal)
        kind = .member
    }

    /// A value to which the sessions of the account are bound. When the value changes, all sessions of the account end.
    /// For a module's account, the value is the salt of the password hash. For any other account, it is the complete
    /// password hash.
    var sessionBinding: String { kind == .member ? hash.salt : hash.description }

    /// Whether this account accepts the session cookies of another account. It accepts these cookies if both accounts
    /// have the same name, kind, roles and ``sessionBinding``.
    func hasSessions(of other: Account) -> Bool {
        name.isIdenticalText(to: other.name) && kind == other.kind
            && roles.elementsEqual(other.roles) { $0.isIdenticalText(to: $1) }
            && (kind == .member ? hash.salt.isIdenticalText(to: other.hash.salt) : hash == other.hash)
    }

    /// Returns the principal of requests with this account.
    ///
    /// - Parameter membership: The membership of the principal; `nil` to use ``membership`` of the account.
    /// - Throws: The account's ``refusal``.
    package func principal(
        _ authentication: Principal.Authentication?, membership: Membership? = nil
    ) throws(HTTPFailure) -> Principal {
        if let refusal { throw refusal }
        return Principal(
            name: principalName, roles: roles, authentication: authentication,
            membership: membership ?? self.membership)
    }
}
