//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore

/// Keys with their own passwords, like Cloudant's API keys. The keys have no documents, and have only the rights that
/// security objects grant them.
final class KeyDirectory: Sendable {
    /// The number of rounds in the hash of a key's password. A small number is sufficient, because the password has
    /// about 133 random bits and cannot be guessed.
    private static let iterations = 1_000

    private let manager: DatastoreManager

    init(manager: DatastoreManager) { self.manager = manager }

    private static func setting(_ name: String) -> String { "key/\(name)" }

    /// The maximum length of a note, in characters.
    private static let noteCharactersMax = 200

    /// A stored key, without its password.
    struct Key: Sendable {
        let name: String
        /// The time of the key's creation in seconds since 1970; `nil` if it is not known.
        let created: Int?
        let note: String?
    }

    /// Creates and stores a key. The password is returned only by this method.
    ///
    /// - Parameter note: A text that tells administrators the purpose of the key; `nil` for none. Only its first 200
    ///   characters are stored.
    func make(note: String? = nil) async throws -> (name: String, password: String) {
        let name = "apikey-" + String(DocumentID.random().prefix(24))
        let password = Administrators.randomPassword()
        var stored: JSONObject = [
            "hash": .string(PasswordHash(of: password, iterations: KeyDirectory.iterations).description),
            "created": .integer(Int64(WallClock.seconds)),
        ]
        if let note { stored["note"] = .string(String(note.prefix(KeyDirectory.noteCharactersMax))) }
        try await manager.setSetting(KeyDirectory.setting(name), to: JSONValue.object(stored).jsonBytes())
        return (name, password)
    }

    /// Returns at most `limit` keys in ascending order of their names. The first is the key with the given name, or
    /// with the next greater name.
    func list(from name: String, limit: Int) async throws -> [Key] {
        let prefix = KeyDirectory.setting("")
        return try await manager.settings(
            beginningWith: prefix, from: KeyDirectory.setting(name), rowsMax: limit
        ).map { key, value in
            let members = KeyDirectory.members(value)
            return Key(
                name: String(Substring(key.utf8.dropFirst(prefix.utf8.count))), created: members["created"]?.intValue,
                note: members["note"]?.stringValue)
        }
    }

    /// Removes a key.
    ///
    /// - Returns: Whether the key was removed. `false` if ``account(named:)`` finds no key with this name.
    func remove(_ name: String) async throws -> Bool {
        guard try await account(named: name) != nil else { return false }
        try await manager.removeSetting(KeyDirectory.setting(name))
        return true
    }

    /// Returns the account of a key; `nil` when no key has this name, or the stored hash cannot be read.
    func account(named name: String) async throws -> Account? {
        guard name.begins(with: "apikey-"), let stored = try await manager.setting(KeyDirectory.setting(name)),
            let text = KeyDirectory.members(stored)["hash"]?.stringValue, let hash = PasswordHash(text)
        else { return nil }
        return Account(name: name, kind: .key, roles: [], hash: hash)
    }

    /// Returns the members of a stored key. An older version of this server stored only a hash for each key.
    private static func members(_ stored: [UInt8]) -> JSONObject {
        (try? JSONValue(parsing: stored))?.objectValue ?? ["hash": .string(String(decoding: stored, as: UTF8.self))]
    }
}
