//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitSQLite
import GodwitStore

extension ObjectDirectory {
    /// The number of random bytes in an access key, and the number of random bytes in a secret key.
    private static let accessKeyBytes = 10
    private static let secretKeyBytes = 30

    private static let nameBytesMax = 64

    /// Returns a secret key. It begins with a letter or a digit. A key that begins with `-` would be an option if it
    /// were an argument of a program.
    private static func newSecretKey() -> String {
        while true {
            let key = Base64URL.encode(.random(count: secretKeyBytes))
            if !key.begins(with: "-") { return key }
        }
    }

    /// Adds an account with new credentials.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters (a to z, A to Z), digits, `_` and `-`.
    ///   - quota: The largest number of bytes; `nil` for no limit.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/invalidName`` or ``ObjectError/Code/accountExists``.
    package func addAccount(named name: String, quota: Int?) throws -> ObjectAccount {
        guard ObjectDirectory.isAccountName(name) else {
            throw ObjectError(
                .invalidName,
                "The name of an account has 1 to \(ObjectDirectory.nameBytesMax) letters, digits, underscores and hyphens."
            )
        }
        let accessKey = "GW" + Base32.encode(.random(count: ObjectDirectory.accessKeyBytes))
        let secretKey = ObjectDirectory.newSecretKey()
        try catalogue.write { connection in
            let isTaken = try connection.first("SELECT 1 FROM accounts WHERE name = ?1", { $0.bind(name, at: 1) }) {
                _ in
                true
            }
            guard isTaken == nil else {
                throw ObjectError(.accountExists, "The account \(name) exists already.")
            }
            try connection.run(
                "INSERT INTO accounts(name, accessKey, secretKey, quota, created, headers) VALUES(?1, ?2, ?3, ?4, ?5, '{}')"
            ) {
                $0.bind(name, at: 1)
                $0.bind(accessKey, at: 2)
                $0.bind(secretKey, at: 3)
                $0.bind(quota, at: 4)
                $0.bind(ObjectDirectory.now / 1_000, at: 5)
            }
        }
        return try existingAccount(named: name)
    }

    private static func isAccountName(_ name: String) -> Bool {
        1...nameBytesMax ~= name.utf8.count
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Returns the account with a name.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/accountNotFound``.
    package func existingAccount(named name: String) throws -> ObjectAccount {
        guard let account = try account(named: name) else {
            throw ObjectError(.accountNotFound, "There is no account \(name).")
        }
        return account
    }

    /// Returns the account with a name; `nil` if there is none.
    package func account(named name: String) throws -> ObjectAccount? {
        try catalogue.read { connection in
            try connection.first(
                """
                SELECT id, name, accessKey, secretKey, quota, bytes, objects, containers, created, headers
                FROM accounts WHERE name = ?1
                """, { $0.bind(name, at: 1) }, ObjectAccount.init)
        }
    }

    /// Returns the account with an access key; `nil` if there is none.
    package func account(accessKey: String) throws -> ObjectAccount? {
        try catalogue.read { connection in
            try connection.first(
                """
                SELECT id, name, accessKey, secretKey, quota, bytes, objects, containers, created, headers
                FROM accounts WHERE accessKey = ?1
                """, { $0.bind(accessKey, at: 1) }, ObjectAccount.init)
        }
    }

    /// Returns accounts in ascending order of their names, beginning after a name. At most `countMax` accounts are
    /// returned.
    package func accounts(after name: String = "", countMax: Int = ObjectLimits.pageCountMax) throws -> [ObjectAccount]
    {
        try catalogue.read { connection in
            try connection.rows(
                """
                SELECT id, name, accessKey, secretKey, quota, bytes, objects, containers, created, headers
                FROM accounts WHERE name > ?1 ORDER BY name LIMIT ?2
                """,
                {
                    $0.bind(name, at: 1)
                    $0.bind(countMax, at: 2)
                }, ObjectAccount.init)
        }
    }

    /// Sets the largest number of bytes of an account; `nil` for no limit.
    package func setQuota(_ quota: Int?, of account: Int) throws {
        try catalogue.write { connection in
            try connection.run("UPDATE accounts SET quota = ?2 WHERE id = ?1") {
                $0.bind(account, at: 1)
                $0.bind(quota, at: 2)
            }
        }
    }

    /// Changes the headers that clients gave to an account.
    ///
    /// - Parameter change: A closure that gets the current headers and returns the new headers.
    package func changeHeaders(
        of account: ObjectAccount, _ change: @escaping @Sendable ([String: String]) throws -> [String: String]
    ) throws {
        try catalogue.write { connection in
            let stored = try connection.first(
                "SELECT headers FROM accounts WHERE id = ?1", { $0.bind(account.id, at: 1) }
            ) { try StringTable.table(stored: $0.bytes(0)) }
            guard let stored else { throw ObjectError(.accountNotFound, "There is no account \(account.name).") }
            let headers = try change(stored)
            try StringTable.check(headers)
            try connection.run("UPDATE accounts SET headers = ?2 WHERE id = ?1") {
                $0.bind(account.id, at: 1)
                $0.bind(StringTable.bytes(headers), at: 2)
            }
            invariant(connection.changedRows == 1, "an account that is changed exists")
        }
    }

    /// Replaces the credentials of an account. From then on, the old credentials are invalid.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/accountNotFound``.
    package func renewKeys(ofAccount name: String) throws -> ObjectAccount {
        let account = try existingAccount(named: name)
        let accessKey = "GW" + Base32.encode(.random(count: ObjectDirectory.accessKeyBytes))
        let secretKey = ObjectDirectory.newSecretKey()
        try catalogue.write { connection in
            try connection.run("UPDATE accounts SET accessKey = ?2, secretKey = ?3 WHERE id = ?1") {
                $0.bind(account.id, at: 1)
                $0.bind(accessKey, at: 2)
                $0.bind(secretKey, at: 3)
            }
        }
        return try existingAccount(named: name)
    }

    /// Removes an account without containers.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/accountNotFound`` or
    ///   ``ObjectError/Code/accountNotEmpty``.
    package func removeAccount(named name: String) throws {
        let account = try existingAccount(named: name)
        try release { connection in
            let count = try connection.first(
                "SELECT containers FROM accounts WHERE id = ?1", { $0.bind(account.id, at: 1) }
            ) { $0.int(0) }
            guard count == 0 else {
                throw ObjectError(.accountNotEmpty, "The account \(name) has containers. Delete them first.")
            }
            try connection.run("DELETE FROM accounts WHERE id = ?1") { $0.bind(account.id, at: 1) }
            invariant(connection.changedRows == 1, "an account that is removed exists")
        }
    }

    // MARK: Tokens

    /// Makes a token invalid until it expires.
    package func revoke(tokenDigest: [UInt8], expires: Int) throws {
        try release { connection in
            try connection.run("INSERT OR IGNORE INTO revoked VALUES(?1, ?2)") {
                $0.bind(tokenDigest, at: 1)
                $0.bind(expires, at: 2)
            }
        }
    }

    /// Whether a token was made invalid.
    package func isRevoked(tokenDigest: [UInt8]) throws -> Bool {
        try catalogue.read { connection in
            try connection.first("SELECT 1 FROM revoked WHERE token = ?1", { $0.bind(tokenDigest, at: 1) }) { _ in true
            }
                ?? false
        }
    }

    /// Returns the key that signs tokens. The first call creates the key.
    package func tokenKey() throws -> [UInt8] {
        let stored = try catalogue.read { connection in
            try connection.first("SELECT value FROM settings WHERE key = 'tokens'") { $0.string(0) }
        }
        if let stored {
            guard let key = [UInt8](hexadecimal: stored.utf8) else {
                throw ObjectError(.corrupt, "The key of tokens is damaged. Restore the object storage from a backup.")
            }
            return key
        }
        let key = [UInt8].random(count: 32)
        try catalogue.write { connection in
            try connection.run("INSERT OR IGNORE INTO settings VALUES('tokens', ?1)") {
                $0.bind(key.hexadecimal, at: 1)
            }
        }
        return try tokenKey()
    }
}

extension ObjectAccount {
    init(_ row: SQLiteStatement) throws {
        self.init(
            id: row.int(0), name: row.string(1), accessKey: row.string(2), secretKey: row.string(3),
            quota: row.optionalInt(4), bytes: row.int(5), objects: row.int(6), containers: row.int(7),
            created: row.int(8), headers: try StringTable.table(stored: row.bytes(9)))
    }
}
