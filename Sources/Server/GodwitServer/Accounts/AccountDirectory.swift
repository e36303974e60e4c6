//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import Logging

/// Finds the account with a name. The account may be that of an administrator, a key, a user in `_users`, or a member
/// whose account a module stores.
final class AccountDirectory: Sendable {
    /// The maximum number of `_users` accounts in memory. Before another account is added, all accounts are removed
    /// from memory in two cases: the maximum is reached, or `_users` has changed.
    private static let cachedMax = 10_000

    private struct UserCache {
        var accounts: [ExactText: Account] = [:]
        /// The state of the `_users` database when the accounts were read: its instance and its update sequence.
        var state = ""
    }

    private let manager: DatastoreManager
    private let administrators: Administrators
    private let keys: KeyDirectory
    private let sources: [any AccountSource]
    let logger: Logger
    private let cache = Mutex(UserCache())

    init(
        manager: DatastoreManager, administrators: Administrators, keys: KeyDirectory, sources: [any AccountSource],
        logger: Logger
    ) {
        self.sources = sources
        self.logger = logger
        self.manager = manager
        self.administrators = administrators
        self.keys = keys
    }

    /// Whether only an account of a module can have this name.
    func isReserved(_ name: String) -> Bool { sources.contains { $0.owns(name) } }

    /// Returns the account with a name. Administrators are searched first. If a module owns the name, only the accounts
    /// of this module are searched after them. If no module owns the name, three stores are searched in this order:
    /// keys, the accounts of all modules, and `_users`.
    ///
    /// - Returns: The account; `nil` when no administrator, module, key or user has this name. Also `nil` when the
    ///   stored password of the key or of the user cannot be read.
    func account(named name: String) async throws -> Account? {
        if let hash = administrators.hash(of: name) {
            return Account(name: name, kind: .administrator, roles: ["_admin"], hash: hash)
        }
        if let owner = sources.first(where: { $0.owns(name) }) { return try await owner.account(named: name) }
        // Keys are searched before users. In the opposite order, a user with the name of a key could log in instead of
        // the key.
        if let account = try await keys.account(named: name) { return account }
        for source in sources { if let account = try await source.account(named: name) { return account } }
        return try await user(named: name)
    }

    /// Returns the principal of a module's token.
    ///
    /// - Returns: The principal; `nil` when the token belongs to no module.
    /// - Throws: The module's error when the token is expired or revoked, or the account is blocked.
    func principal(of token: String) async throws -> Principal? {
        for source in sources { if let principal = try await source.principal(of: token) { return principal } }
        return nil
    }

    /// Asks the module that owns the principal's account to authorize a request. If the principal has no membership, or
    /// no module owns its name, the principal is returned unchanged.
    ///
    /// - Throws: The module's error, whose response has status 401 or 403.
    func authorize(_ principal: Principal, _ request: ServerRequest) throws -> Principal {
        guard principal.membership != nil, let name = principal.name,
            let source = sources.first(where: { $0.owns(name) })
        else { return principal }
        return try source.authorize(principal, request)
    }

    /// Removes the credentials that modules store for an administrator, such as passkeys.
    func removeCredentials(ofAdministrator name: String) async throws {
        for source in sources { try await source.removeCredentials(ofAdministrator: name) }
    }

    private func user(named name: String) async throws -> Account? {
        guard let users = try await UsersDatabase.datastore(of: manager) else { return nil }
        let state = "\(users.identity.instance) \(users.updateSequence)"
        // Exact: the state has only ASCII digits.
        let cached = cache.withLock { $0.state == state ? $0.accounts[ExactText(name)] : nil }
        if let cached { return cached }
        guard let account = try UsersDatabase.account(named: name, in: users) else { return nil }
        cache.withLock { cache in
            // Exact: as above.
            if cache.state != state || cache.accounts.count >= AccountDirectory.cachedMax {
                cache.accounts.removeAll()
            }
            cache.state = state
            cache.accounts[ExactText(name)] = account
        }
        return account
    }

    /// Replaces the password hash of a user in `_users` with a hash of at least `iterations` rounds. Does nothing in
    /// two cases: the stored hash has changed since the account was read, or the account does not belong to a user in
    /// `_users`.
    func strengthen(_ account: Account, password: String, iterations: Int) async throws {
        guard account.kind == .user, let users = try await UsersDatabase.datastore(of: manager) else { return }
        let rounds = max(iterations, account.hash.iterations)
        let hash = try await PasswordWork.run(for: account.name) { PasswordHash(of: password, iterations: rounds) }
        try await UsersDatabase.replaceHash(of: account, with: hash, in: users)
    }
}
