//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitThreads

/// Somebody who can log in.
struct Account: Sendable {
    enum Kind: Sendable {
        case administrator
        /// Of `_users`.
        case user
        /// A key with a password of its own, without a document.
        case key
    }

    let name: String
    let kind: Kind
    let roles: [String]
    let hash: PasswordHash
}

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
    private let kept = Mutex(Kept())

    init(manager: DatastoreManager, administrators: Administrators, keys: KeyDirectory) {
        self.manager = manager
        self.administrators = administrators
        self.keys = keys
    }

    /// The account of a name; `nil` when there is none.
    func account(named name: String) async throws -> Account? {
        if let hash = administrators.hash(of: name) {
            return Account(name: name, kind: .administrator, roles: ["_admin"], hash: hash)
        }
        if let account = try await user(named: name) { return account }
        return try await keys.account(named: name)
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
        let hash = try await PasswordWork.run { PasswordHash(of: password, iterations: iterations) }
        try await UsersDatabase.replaceHash(of: account, with: hash, in: users)
    }
}
