//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// What few databases have beside their documents: a number under a name.
package enum DatabaseProperty: String, Sendable {
    /// 1 where ids are of CouchDB's form `PARTITION:ID`; set when the database is made, for ever.
    case partitioned
    /// How many purges CouchDB would remember.
    case purgedInfosMax
}

extension DocumentTable {
    /// A property of the database; `nil` when it was never set.
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
    /// Whether the ids of documents are to be of CouchDB's form `PARTITION:ID`.
    package var isPartitioned: Bool { database.isPartitioned }
}
