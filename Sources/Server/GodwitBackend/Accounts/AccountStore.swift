//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitServer
import GodwitStore

/// Reads and writes the accounts of one application in its database of users.
struct AccountStore: Sendable {
    let application: Application
    let manager: DatastoreManager
    /// A cache that maps keys to users. The cached user of a key always remains correct, because a key is never given
    /// to another user.
    let keys: KeyCache

    /// The application's database of users.
    var users: Datastore {
        get async throws { try await manager.existingDatastore(named: application.accountsDatabase) }
    }

    /// Returns the account of a user; `nil` when the user does not exist, or the document is not an account.
    func account(named name: String) async throws -> UserAccount? {
        do {
            return UserAccount(name, try await users.document(name).body)
        } catch let error as StoreError {
            guard [.notFound, .deleted, .invalidDocumentID].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Returns the account with a key; `nil` when no account has the key now.
    func account(ofKey key: String) async throws -> UserAccount? {
        let name = try await keys.user(of: key) { () -> String? in
            let query = FindQuery(selector: ["api_key": .string(key)], limit: 1)
            return try await users.find(query).documents.first?.id
        }
        guard let name, let account = try await account(named: name), account.key.isIdenticalText(to: key) else {
            return nil
        }
        return account
    }

    /// Returns the account to which an identity is linked; `nil` when the identity is linked to no account, or to
    /// several accounts.
    func account(ofIdentity subject: String, at provider: String) async throws -> UserAccount? {
        try await account(where: "identities.\(provider).subject", is: subject) { account in
            account.identities[provider]?.subject.isIdenticalText(to: subject) ?? false
        }
    }

    /// Returns the account with a verified e-mail address; `nil` when no account has this address, or several accounts
    /// have it.
    func account(withVerifiedEmail email: String) async throws -> UserAccount? {
        try await account(where: "email_key", is: UserProfile.key(of: email)) { $0.profile.hasVerified(email) }
    }

    private func account(
        where field: String, is value: String, and matches: (UserAccount) -> Bool
    ) async throws -> UserAccount? {
        var (found, skipped): ([UserAccount], Int) = ([], 0)
        while found.count < 2 {
            let query = FindQuery(
                selector: [field: .string(value)], limit: BackendLimits.accountsFoundTogetherMax, skip: skipped)
            let documents = try await users.find(query).documents
            for id in documents.compactMap(\.id) {
                if let account = try await account(named: id), matches(account) { found.append(account) }
            }
            guard documents.count == BackendLimits.accountsFoundTogetherMax else { break }
            skipped += documents.count
        }
        return found.count == 1 ? found[0] : nil
    }

    /// Returns accounts in the order of their names, each with the members of its document.
    ///
    /// - Parameters:
    ///   - name: The name after which the accounts begin; `nil` to begin with the first account.
    ///   - limit: The maximum number of accounts.
    func page(after name: String?, limit: Int) async throws -> [(account: UserAccount, members: JSONObject)] {
        // Design documents, whose ids begin with an underscore, are skipped.
        var found: [(account: UserAccount, members: JSONObject)] = []
        var last = name
        while found.count < limit {
            let range = last.map { IDRange(lower: $0, lowerIsIncluded: false) } ?? IDRange()
            let documents = try await users.documents(in: range, limit: limit)
            for document in documents where found.count < limit {
                guard let id = document.id, let account = UserAccount(id, document.body) else { continue }
                found.append((account, document.body))
            }
            guard documents.count == limit, let end = documents.last else { break }
            last = end.id
        }
        return found
    }

    /// Writes a new account.
    ///
    /// - Returns: The revision of its document.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/userExists`` when a user of this name exists.
    func create(_ account: UserAccount) async throws -> RevisionID {
        var body = JSONObject()
        account.write(to: &body)
        do {
            guard let revision = try await users.create(Document(id: account.name, body: body)).revision else {
                throw StoreError(.storage, "a saved document has no revision")
            }
            return revision
        } catch let error as StoreError {
            guard error.code == .conflict else { throw error }
            throw AccountError.userExists
        }
    }

    /// Changes an account. The document may have further members, which stay unchanged.
    ///
    /// - Returns: The changed account; `nil` when the user does not exist, or the document is not an account.
    func change(
        _ name: String, _ change: @escaping @Sendable (inout UserAccount) throws(AccountError) -> Void
    ) async throws -> UserAccount? {
        try await users.write { transaction in
            do {
                var document = try transaction.document(name)
                guard var account = UserAccount(name, document.body) else { return nil }
                try change(&account)
                account.write(to: &document.body)
                _ = try transaction.update(document)
                return account
            } catch let error as StoreError {
                guard error.code == .notFound || error.code == .deleted else { throw error }
                return nil
            }
        }
    }

    /// Removes all revisions of a user's document, the list of devices, the tokens of mails, and the second factor.
    func purge(_ name: String) async throws {
        try await users.transact { transaction in
            _ = try transaction.purge(name)
            for id in [DeviceList.id(of: name), MailTokens.id(of: name), SecondFactor.id(of: name)] {
                try transaction.removeLocal(id: id)
            }
        }
    }

    // MARK: Devices

    /// Returns the devices on which a user is logged in.
    func devices(of name: String) async throws -> DeviceList {
        let stored = try await users.read { try $0.local(id: DeviceList.id(of: name)) }
        return DeviceList(stored?.body)
    }

    /// Changes the list of a user's devices in one transaction.
    func changeDevices<Result: Sendable>(
        of name: String, _ change: @escaping @Sendable (inout DeviceList) throws -> Result
    ) async throws -> Result {
        try await changeLocal(DeviceList.id(of: name), change)
    }

    /// Changes the tokens of a user's mails in one transaction.
    func changeMailTokens<Result: Sendable>(
        of name: String, _ change: @escaping @Sendable (inout MailTokens) throws -> Result
    ) async throws -> Result {
        try await changeLocal(MailTokens.id(of: name), change)
    }

    /// Returns a user's second factor.
    func secondFactor(of name: String) async throws -> SecondFactor {
        SecondFactor(try await users.read { try $0.local(id: SecondFactor.id(of: name)) }?.body)
    }

    /// Changes a user's second factor in one transaction.
    func changeSecondFactor<Result: Sendable>(
        of name: String, _ change: @escaping @Sendable (inout SecondFactor) throws -> Result
    ) async throws -> Result {
        try await changeLocal(SecondFactor.id(of: name), change)
    }

    private func changeLocal<State: LocalState, Result: Sendable>(
        _ id: String, _ change: @escaping @Sendable (inout State) throws -> Result
    ) async throws -> Result {
        try await users.write { transaction in
            let stored = try transaction.documents.local(id: id)
            let before = State(stored?.body)
            var state = before
            let result = try change(&state)
            // An attempt with a wrong secret does not change the state. In this case nothing is written, because a
            // request with a wrong secret must not cause a durable write.
            guard state != before else { return result }
            _ = try transaction.saveLocal(id: id, previous: stored?.revision ?? 0, body: state.bytes)
            return result
        }
    }
}

/// A cache that maps keys to their users.
final class KeyCache: Sendable {
    private let users = Mutex<[ExactText: String]>([:])

    /// Returns the user of a key.
    ///
    /// - Parameter find: A closure that finds the user of a key that is not in the cache.
    func user(of key: String, find: () async throws -> String?) async throws -> String? {
        if let known = users.withLock({ $0[ExactText(key)] }) { return known }
        guard let found = try await find() else { return nil }
        users.withLock { users in
            if users.count >= BackendLimits.keysKeptMax { users.removeAll() }
            users[ExactText(key)] = found
        }
        return found
    }
}
