//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// Data that the catalogue stores in the commit that begins the creation of a database.
package struct CreationRecord: Sendable {
    /// The security object; `nil` for none.
    package var security: [UInt8]?
    /// A setting to store, for example a description of work that must be done after the creation.
    package var setting: (key: String, value: [UInt8])?

    /// Creates a record with an optional security object and setting.
    package init(security: [UInt8]? = nil, setting: (key: String, value: [UInt8])? = nil) {
        self.security = security
        self.setting = setting
    }
}

extension Catalogue {
    /// A setting, for example the server's administrators; `nil` if it is not set.
    func setting(_ key: String) throws -> [UInt8]? {
        try file.read { reader in
            let statement = try reader.statement("SELECT value FROM settings WHERE key = ?1")
            defer { statement.reset() }
            statement.bind(key, at: 1)
            return try statement.step() ? statement.bytes(0) : nil
        }
    }

    /// The settings whose keys begin with `prefix`, in ascending order of their keys.
    func settings(beginningWith prefix: String) throws -> [(key: String, value: [UInt8])] {
        try settings(beginningWith: prefix, from: prefix, rowsMax: .max)
    }

    /// At most `rowsMax` settings whose keys begin with `prefix`, in ascending order of their keys. Keys that are less
    /// than `firstKey` are omitted.
    func settings(
        beginningWith prefix: String, from firstKey: String, rowsMax: Int
    ) throws -> [(key: String, value: [UInt8])] {
        try file.read { reader in
            let statement = try reader.statement(
                """
                SELECT key, value FROM settings WHERE key >= ?1 AND key >= ?2 ORDER BY key LIMIT ?3
                """)
            defer { statement.reset() }
            statement.bind(prefix, at: 1)
            statement.bind(firstKey, at: 2)
            statement.bind(rowsMax, at: 3)
            var settings: [(key: String, value: [UInt8])] = []
            // Keys with the prefix are adjacent, so the first key without the prefix ends the scan.
            while try statement.step(), case let key = statement.string(0), key.utf8.starts(with: prefix.utf8) {
                settings.append((key, statement.bytes(1) ?? []))
            }
            return settings
        }
    }

    func setSetting(_ key: String, to value: [UInt8]) throws {
        try writes.perform { connection in try Catalogue.set(key, to: value, on: connection) }
    }

    static func set(_ key: String, to value: [UInt8], on connection: SQLiteConnection) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO settings VALUES(?1, ?2)")
        statement.bind(key, at: 1)
        statement.bind(value, at: 2)
        try statement.run()
    }

    func removeSetting(_ key: String) throws {
        try writes.perform { connection in try Catalogue.remove(key, on: connection) }
    }

    /// Removes a setting with the next commit. If the process crashes before that commit, the setting remains.
    func removeSettingLater(_ key: String) {
        writes.later { connection in try Catalogue.remove(key, on: connection) }
    }

    private static func remove(_ key: String, on connection: SQLiteConnection) throws {
        let statement = try connection.statement("DELETE FROM settings WHERE key = ?1")
        statement.bind(key, at: 1)
        try statement.run()
    }
}
