//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where a module of the server keeps accounts of its own.
package protocol AccountSource: Sendable {
    /// Whether a name can be none but an account of this source.
    func owns(_ name: String) -> Bool

    /// The account that a name stands for, or a key's; `nil` when there is none.
    func account(named name: String) async throws -> Account?

    /// Who a token stands for; `nil` when it is none of this source's.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 when it is one, and is over or was taken back.
    func principal(of token: String) async throws -> Principal?

    /// Authorizes a request of a member.
    ///
    /// - Returns: The principal with what the request says of the app.
    /// - Throws: ``HTTPFailure`` with status 403 when it may not.
    func authorize(_ principal: Principal, _ request: ServerRequest) throws -> Principal
}

/// Who can log in with a name and password.
package struct Account: Sendable {
    enum Kind: String, Sendable {
        case administrator
        /// Of `_users`.
        case user
        /// A key with a password of its own, without a document.
        case key
        /// Of a module.
        case member
    }

    /// The name to log in with.
    let name: String
    let kind: Kind
    /// What rights are given to: a key may stand for a user.
    let principalName: String
    let roles: [String]
    let hash: PasswordHash
    var membership: Membership?
    /// Why nobody is let in although the password is right.
    var refusal: HTTPFailure?

    init(name: String, kind: Kind, roles: [String], hash: PasswordHash) {
        (self.name, self.kind, self.roles, self.hash) = (name, kind, roles, hash)
        principalName = name
    }

    /// An account that a module keeps.
    ///
    /// - Parameters:
    ///   - name: The name to log in with.
    ///   - principalName: What rights are given to.
    ///   - membership: Whose account of which application it is.
    package init(
        name: String, principalName: String, roles: [String], hash: PasswordHash, membership: Membership,
        refusal: HTTPFailure? = nil
    ) {
        (self.name, self.principalName, self.roles, self.hash) = (name, principalName, roles, hash)
        (self.membership, self.refusal) = (membership, refusal)
        kind = .member
    }

    /// What a session ends with: the stored password. A module's account has a salt for its sessions instead.
    var sessionBinding: String { kind == .member ? hash.salt : hash.description }

    /// Whether a session of the one is a session of the other: all that a session's cookie is signed with is the same.
    func hasSessions(of other: Account) -> Bool {
        name == other.name && kind == other.kind && roles == other.roles
            && (kind == .member ? hash.salt == other.hash.salt : hash == other.hash)
    }

    /// Who asks with this account.
    ///
    /// - Parameter membership: What is known of the member beside the account; `nil` for what the account says.
    package func principal(
        _ authentication: Principal.Authentication?, membership: Membership? = nil
    ) throws(HTTPFailure) -> Principal {
        if let refusal { throw refusal }
        return Principal(
            name: principalName, roles: roles, authentication: authentication,
            membership: membership ?? self.membership)
    }
}
