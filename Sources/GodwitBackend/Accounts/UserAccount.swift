//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import GodwitStore

/// A user of an application, as their document in the application's database of users says.
struct UserAccount: Equatable, Sendable {
    let name: String
    /// The user's own database.
    let database: String
    /// The name of the user's key.
    var key: String
    /// What the key's password is checked against; `nil` when the key was taken back: the next login makes another.
    var keyHash: PasswordHash?
    /// Holds the key's password.
    var lock: PasswordLock
    /// What session cookies are bound to: another one ends them.
    var sessionSalt: String
    /// Roles of the application, for example `analyst`.
    var roles: [String]
    var isBlocked: Bool
    let createdMilliseconds: Int64

    /// What the seal of the key's password belongs to.
    static func binding(_ name: String, in application: Application) -> String { "\(application.id)/\(name)" }

    /// A new name of a key.
    static func newKey() -> String { "apikey-" + String(DocumentID.random().prefix(24)) }

    /// What a key's password is checked against. It is random, of about 115 bits: its hash need not be slow.
    static func hash(ofKey password: String) -> PasswordHash { PasswordHash(of: password, iterations: keyIterations) }

    private static let keyIterations = 100

    /// A new salt of sessions.
    static func newSalt() -> String { DocumentID.random() }

    // MARK: The document

    /// Reads a document's members; `nil` when they are no account's.
    init?(_ name: String, _ members: JSONObject) {
        guard let database = members["database"]?.stringValue, let key = members["api_key"]?.stringValue,
            let lock = PasswordLock(members["api_password"]), let salt = members["session_salt"]?.stringValue
        else { return nil }
        self.name = name
        self.database = database
        self.key = key
        self.lock = lock
        sessionSalt = salt
        keyHash = members["api_key_hash"]?.stringValue.flatMap { PasswordHash($0) }
        roles = members["roles"]?.arrayValue?.compactMap(\.stringValue) ?? []
        // What is neither true nor false blocks: a rule that nobody understands lets nobody in.
        isBlocked = members["blocked"].map { $0 != false } ?? false
        createdMilliseconds = members["created_at"]?.intValue.map(Int64.init) ?? 0
    }

    init(name: String, database: String, key: String, keyHash: PasswordHash, lock: PasswordLock, now: Int64) {
        (self.name, self.database, self.key, self.keyHash, self.lock) = (name, database, key, keyHash, lock)
        sessionSalt = UserAccount.newSalt()
        roles = []
        isBlocked = false
        createdMilliseconds = now
    }

    /// Puts the account into a document's members; what else stands there stays.
    func write(to members: inout JSONObject) {
        members["type"] = "user"
        members["username"] = .string(name)
        members["database"] = .string(database)
        members["api_key"] = .string(key)
        members["api_key_hash"] = keyHash.map { .string($0.description) }
        members["api_password"] = lock.json
        members["session_salt"] = .string(sessionSalt)
        members["roles"] = .array(roles.map { .string($0) })
        members["blocked"] = .bool(isBlocked)
        members["created_at"] = .integer(createdMilliseconds)
    }
}
