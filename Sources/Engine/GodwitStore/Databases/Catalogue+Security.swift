//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

// The security objects of the databases.

extension Catalogue {
    /// The security object of a live database, as the bytes that were stored; `.some(nil)` if no security object was
    /// set.
    ///
    /// - Returns: `nil` if no live database has this name.
    func security(of name: String) throws -> [UInt8]?? {
        try file.read { reader in
            let statement = try reader.statement("SELECT security FROM databases WHERE name = ?1 AND state = 1")
            defer { statement.reset() }
            statement.bind(name, at: 1)
            guard try statement.step() else { return nil }
            return .some(statement.bytes(0))
        }
    }

    func setSecurity(of name: String, to object: [UInt8]) throws {
        try writes.perform { connection in
            let statement = try connection.statement("UPDATE databases SET security = ?2 WHERE name = ?1")
            statement.bind(name, at: 1)
            statement.bind(object, at: 2)
            try statement.run()
        }
    }
}
