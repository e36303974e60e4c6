//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitThreads
import Logging

/// Finds who can log in: administrators, keys and the users of `_users`.
final class AccountDirectory: Sendable {
    /// Users kept in memory as long as `_users` does not change.
    private static let keptMax = 10_000

    private struct Kept {
        var accounts: [String: Account] = [:]
        /// The state of which database they are of.
        var state = ""
    }

    private let manager: DatastoreManager
    private let administrators: Administrators
    private let keys: KeyDirectory
    private let sources: [any AccountSource]
    let logger: Logger
    private let kept = Mutex(Kept())

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

    /// Whether a name can be none but an account of a module.
    func isReserved(_ name: String) -> Bool { sources.contains { $0.owns(name) } }

    /// The account of a name; `nil` when there is none.
    func account(named name: String) async throws -> Account? {
        if let hash = administrators.hash(of: name) {
            return Account(name: name, kind: .administrator, roles: ["_admin"], hash: hash)
        }
        if let owner = sources.first(where: { $0.owns(name) }) { return try await owner.account(named: name) }
        // A user who takes the name of a key is not let in for it.
        if let account = try await keys.account(named: name) { return account }
        for source in sources { if let account = try await source.account(named: name) { return account } }
        return try await user(named: name)
    }

    /// Who a token of a module stands for; `nil` when it is none.
    func principal(of token: String) async throws -> Principal? {
        for source in sources { if let principal = try await source.principal(of: token) { return principal } }
        return nil
    }

    /// Authorizes a request of a member of an application by the module that keeps the accounts; others pass.
    func authorize(_ principal: Principal, _ request: ServerRequest) throws -> Principal {
        guard principal.membership != nil, let name = principal.name,
            let source = sources.first(where: { $0.owns(name) })
        else { return principal }
        return try source.authorize(principal, request)
    }

    private func user(named name: String) async throws -> Account? {
        guard let users = try await UsersDatabase.datastore(of: manager) else { return nil }
        let state = "\(users.identity.instance) \(users.updateSequence)"
        let found = kept.withLock { $0.state == state ? $0.accounts[name] : nil }
        if let found { return found }
        guard let account = try UsersDatabase.account(named: name, in: users) else { return nil }
        kept.withLock { kept in
            if kept.state != state || kept.accounts.count >= AccountDirectory.keptMax {
                kept.accounts.removeAll()
            }
            kept.state = state
            kept.accounts[name] = account
        }
        return account
    }

    /// Keeps a stronger hash of a user's password, when the user's document is still the one that was read.
    func strengthen(_ account: Account, password: String, iterations: Int) async throws {
        guard account.kind == .user, let users = try await UsersDatabase.datastore(of: manager) else { return }
        let rounds = max(iterations, account.hash.iterations)
        let hash = try await PasswordWork.run(for: account.name) { PasswordHash(of: password, iterations: rounds) }
        try await UsersDatabase.replaceHash(of: account, with: hash, in: users)
    }
}
