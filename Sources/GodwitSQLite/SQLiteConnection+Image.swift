//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// The whole database as the bytes of its file.
    ///
    /// Meant for a small, freshly made database in memory that serves as a prepared image.
    package func image() throws(SQLiteError) -> [UInt8] {
        var size: sqlite3_int64 = 0
        guard let start = sqlite3_serialize(handle, "main", &size, 0) else {
            throw SQLiteError(code: SQLITE_NOMEM, operation: "serializing a database", handle: nil)
        }
        defer { sqlite3_free(start) }
        var bytes = [UInt8](UnsafeBufferPointer(start: start, count: Int(size)))
        // Bytes 18 and 19 of the header are the write and read version; 2 means write-ahead log.
        // A database in memory has no log, so the image says 1 until here. (SQLite, "Database File Format", 1.3.3)
        if bytes.count > 19 {
            bytes[18] = 2
            bytes[19] = 2
        }
        return bytes
    }
}
