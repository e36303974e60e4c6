//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

/// A failure that SQLite reported.
///
/// The message names the operation and SQLite's own words; it never holds a bound value.
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// SQLite's extended result code, for example `SQLITE_BUSY` (5) or `SQLITE_IOERR_WRITE` (778).
    package let code: Int32

    /// What was attempted and what SQLite said of it.
    package let message: String

    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    init(code: Int32, operation: String, handle: OpaquePointer?) {
        let words = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        self.init(code: code, message: "\(operation): \(words) (SQLite result \(code))")
    }

    /// The primary result code, without the extension in the upper bits.
    package var primaryCode: Int32 { code & 0xff }

    /// Whether the disk had no room for a write.
    package var isDiskFull: Bool { primaryCode == SQLITE_FULL }

    /// Whether the file is no database of SQLite, or a damaged one.
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    package var description: String { message }
}
