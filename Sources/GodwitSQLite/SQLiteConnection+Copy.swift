//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// Writes the whole database anew to a file on any disk, under another key or none. No transaction may be open.
    ///
    /// - Parameter path: An empty file. What is written there is not flushed.
    package func copy(to path: String, on disk: SQLiteDisk) throws(SQLiteError) {
        if disk.cipher != nil { reserveForCipher() }
        let name = disk.name ?? String(cString: sqlite3_vfs_find(nil).pointee.zName)
        let statement = try statement(composed: "VACUUM INTO ?1")
        statement.bind(SQLiteConnection.address(of: path, ["vfs": name]), at: 1)
        try statement.run()
    }
}
