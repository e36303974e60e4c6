//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// An optional property of a database: an integer that is stored under a name.
package enum DatabaseProperty: String, Sendable {
    /// 1 if document ids have CouchDB's form `PARTITION:ID`. Set at creation and never changed.
    case partitioned
    /// CouchDB's limit of remembered purges (`_purged_infos_limit`).
    case purgedInfosMax
}

extension DocumentTable {
    /// The value of a property; `nil` if it was never set.
    package func property(_ property: DatabaseProperty) throws -> Int64? {
        guard try has(.properties) else { return nil }
        let statement = try connection.statement("SELECT value FROM properties WHERE name = ?1")
        defer { statement.reset() }
        statement.bind(property.rawValue, at: 1)
        return try statement.step() ? statement.int64(0) : nil
    }
}

extension WriteTransaction {
    /// Sets a property of the database.
    package func set(_ property: DatabaseProperty, to value: Int64) throws {
        try group.ensure(.properties)
        let statement = try connection.statement("INSERT OR REPLACE INTO properties VALUES(?1, ?2)")
        statement.bind(property.rawValue, at: 1)
        statement.bind(value, at: 2)
        try statement.run()
    }
}

extension Datastore {
    /// Whether document ids must have CouchDB's form `PARTITION:ID`.
    package var isPartitioned: Bool { database.isPartitioned }
}
