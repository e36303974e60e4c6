//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore

/// The names of an application's databases. They are stored for each application of the server, and for each removed
/// application that still has a database.
///
/// The names are stored for this reason: the security object of a user's database grants rights to a name that begins
/// with the id of the application. Therefore no other principal may have such a name while a database of the
/// application exists.
struct ReservedNames {
    private static let keyPrefix = "application-names/"

    /// The application's id.
    let id: String
    /// The name of the database with its accounts.
    let users: String
    /// The prefix of the names of its users' databases.
    let databasePrefix: String

    init(of application: Application) {
        (id, users, databasePrefix) = (application.id, application.accountsDatabase, application.databasePrefix)
    }

    /// Parses a setting; `nil` when it is invalid.
    private init?(key: String, _ value: [UInt8]) {
        guard key.begins(with: ReservedNames.keyPrefix), let names = try? JSONValue(parsing: value),
            let users = names["users"]?.stringValue, let prefix = names["prefix"]?.stringValue
        else { return nil }
        id = String(Substring(key.utf8.dropFirst(ReservedNames.keyPrefix.utf8.count)))
        (self.users, databasePrefix) = (users, prefix)
    }

    /// Returns the names of all applications that the server has or had.
    static func all(in manager: DatastoreManager) async throws -> [ReservedNames] {
        try await manager.settings(beginningWith: keyPrefix).compactMap { ReservedNames(key: $0.key, $0.value) }
    }

    /// The setting's key.
    var key: String { ReservedNames.keyPrefix + id }

    var bytes: [UInt8] {
        (["users": .string(users), "prefix": .string(databasePrefix)] as JSONValue).jsonBytes()
    }

    /// Whether the database with the accounts, or a user's database, exists.
    func areInUse(in manager: DatastoreManager) async throws -> Bool {
        let owned = IDRange(lower: databasePrefix, upper: databasePrefix + "\u{10FFFF}")
        let accounts = IDRange(lower: users, upper: users)
        guard try await manager.names(in: owned, limit: 1).isEmpty else { return true }
        return try await !manager.names(in: accounts, limit: 1).isEmpty
    }
}
