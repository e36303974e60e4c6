//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPageCipher
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

    /// A connection that was closed is asked for something.
    static var closed: SQLiteError { SQLiteError(code: SQLITE_MISUSE, message: "the connection is closed") }

    init(code: Int32, operation: String, handle: OpaquePointer?) {
        let words = SQLiteError.words(of: code, handle: handle)
        self.init(code: code, message: "\(operation): \(words) (SQLite result \(code))")
    }

    private static func words(of code: Int32, handle: OpaquePointer?) -> String {
        switch Int(code) {
        case PAGECIPHER_PLAIN: return "the file is not encrypted"
        case PAGECIPHER_WRONG_KEY: return "the file does not answer to the key"
        case PAGECIPHER_DAMAGED:
            var isInLog = false
            let page = pagecipher_damaged_page(&isInLog)
            return "page \(page)\(isInLog ? " in the log" : "") does not match its authentication code"
        default: return handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        }
    }

    /// Whether a key was given for a file that is not encrypted.
    package var isPlain: Bool { Int(code) == PAGECIPHER_PLAIN }

    /// Whether no page of an encrypted file answers to the key.
    package var isWrongKey: Bool { Int(code) == PAGECIPHER_WRONG_KEY }

    /// Whether a page of an encrypted file does not match its authentication code; the message names it.
    package var isDamagedPage: Bool { Int(code) == PAGECIPHER_DAMAGED }

    /// Whether the file is no database, or an encrypted one that was opened without a key.
    package var isNoDatabase: Bool { code == SQLITE_NOTADB }

    /// The primary result code, without the extension in the upper bits.
    package var primaryCode: Int32 { code & 0xff }

    /// Whether a connection of another process has what is wanted.
    package var isBusy: Bool { primaryCode == SQLITE_BUSY }

    /// Whether the statement was told not to go on (``SQLiteConnection/ask(every:mayGoOn:)``).
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }

    /// Whether the disk had no room for a write.
    package var isDiskFull: Bool { primaryCode == SQLITE_FULL }

    /// Whether what was asked for is not there: a table, a row of a blob, or bytes beyond its end.
    package var isMissing: Bool { primaryCode == SQLITE_ERROR }

    /// Whether the file is no database of SQLite, or a damaged one.
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    package var description: String { message }
}
