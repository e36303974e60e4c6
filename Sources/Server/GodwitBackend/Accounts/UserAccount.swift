//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import GodwitStore

/// A user of an application, as stored in the application's database of users.
struct UserAccount: Equatable, Sendable {
    let name: String
    /// The name of the user's database.
    let database: String
    /// The name of the user's key.
    var key: String
    /// The hash of the key's password. `nil` for an account without a password, and after the key was revoked. After a
    /// revocation, the next login with a password creates a new key.
    var keyHash: PasswordHash?
    /// The key's password, encrypted with the user's password; `nil` when the user has no password.
    var lock: PasswordLock?
    /// The salt to which session cookies are bound. When the salt changes, all sessions with cookies end.
    var sessionSalt: String
    /// The roles in the application that administrators gave the user, for example `analyst`.
    var roles: [String]
    /// The user's profile.
    var profile = UserProfile()
    /// The identities with which the user logs in, keyed by the name of the provider.
    var identities: [String: LinkedIdentity] = [:]
    var isBlocked: Bool
    let createdMilliseconds: Int64

    /// Returns the text to which ``lock`` is bound. The text identifies the account: with the text of another account,
    /// the lock cannot be decrypted.
    static func binding(_ name: String, in application: Application) -> String { "\(application.id)/\(name)" }

    /// Generates a name for a key.
    static func newKey() -> String { "apikey-" + String(DocumentID.random().prefix(24)) }

    /// Returns the hash of a key's password. A fast hash is sufficient, because the password has about 133 random bits
    /// and cannot be guessed.
    static func hash(ofKey password: String) -> PasswordHash { PasswordHash(of: password, iterations: keyIterations) }

    private static let keyIterations = 100

    /// Generates a salt for sessions.
    static func newSalt() -> String { DocumentID.random() }

    // MARK: Document

    /// Parses a document's members; `nil` when the document is not an account.
    init?(_ name: String, _ members: JSONObject) {
        guard let database = members["database"]?.stringValue, let key = members["api_key"]?.stringValue,
            let salt = members["session_salt"]?.stringValue
        else { return nil }
        if let sealed = members["api_password"] {
            guard let lock = PasswordLock(sealed) else { return nil }
            self.lock = lock
        }
        self.name = name
        self.database = database
        self.key = key
        sessionSalt = salt
        keyHash = members["api_key_hash"]?.stringValue.flatMap { PasswordHash($0) }
        roles = members["roles"]?.arrayValue?.compactMap(\.stringValue) ?? []
        profile = UserProfile(members)
        for (provider, value) in members["identities"]?.objectValue ?? [:] {
            identities[provider] = LinkedIdentity(value)
        }
        // If the value is not a boolean, its meaning is unknown. In this case the account is blocked, because this is
        // safer.
        isBlocked = members["blocked"].map { $0 != false } ?? false
        createdMilliseconds = members["created_at"]?.intValue.map(Int64.init) ?? 0
    }

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - keyHash: The hash of the key's password; `nil` for an account without a password. In such an account, each
    ///     device has a separate key.
    ///   - now: The time in milliseconds since 1970.
    init(name: String, database: String, keyHash: PasswordHash?, lock: PasswordLock?, now: Int64) {
        (self.name, self.database, self.keyHash, self.lock) = (name, database, keyHash, lock)
        key = UserAccount.newKey()
        sessionSalt = UserAccount.newSalt()
        roles = []
        isBlocked = false
        createdMilliseconds = now
    }

    /// Writes the account to a document's members. Other members stay unchanged.
    func write(to members: inout JSONObject) {
        members["type"] = "user"
        members["username"] = .string(name)
        members["database"] = .string(database)
        members["api_key"] = .string(key)
        members["api_key_hash"] = keyHash.map { .string($0.description) }
        members["api_password"] = lock?.json
        members["session_salt"] = .string(sessionSalt)
        members["roles"] = .array(roles.map { .string($0) })
        members["blocked"] = .bool(isBlocked)
        members["created_at"] = .integer(createdMilliseconds)
        profile.write(to: &members)
        let linked = identities.sorted { $0.key < $1.key }.map { ($0, $1.json) }
        members["identities"] = linked.isEmpty ? nil : .object(JSONObject(linked))
    }

    /// Returns all roles of the user in the application. They are the roles that administrators gave the user, and the
    /// roles of the user's linked identities. A role of an identity is omitted if the application does not list this
    /// role for the identity's provider.
    func allRoles(in application: Application) -> [String] {
        let given = identities.flatMap { name, identity in
            let possible = application.providers[name].map { Set($0.roles.values.map(ExactText.init)) } ?? []
            return identity.roles.map(ExactText.init).filter(possible.contains)
        }
        return roles + Set(given).subtracting(roles.map(ExactText.init)).sorted().map(\.text)
    }
}
