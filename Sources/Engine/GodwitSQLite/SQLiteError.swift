//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPageCipher
import CSQLite
import GodwitBase

/// An error that SQLite reported.
///
/// The message contains the operation and SQLite's own message. It never contains a bound value.
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// SQLite's extended result code, for example `SQLITE_BUSY` (5) or `SQLITE_IOERR_WRITE` (778).
    package let code: Int32

    /// The operation that failed, and SQLite's message.
    package let message: String

    /// Whether the process or the system had no free file descriptor.
    package private(set) var isOutOfFiles = false

    /// Creates an error from SQLite's extended result code and a message, which must contain no bound value.
    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// The error for a call on a closed connection.
    static var closed: SQLiteError { SQLiteError(code: SQLITE_MISUSE, message: "the connection is closed") }

    init(code: Int32, operation: String, handle: OpaquePointer?) {
        let text = SQLiteError.text(of: code, handle: handle)
        self.init(code: code, message: "\(operation): \(text) (SQLite result \(code))")
        if primaryCode == SQLITE_CANTOPEN, let handle {
            isOutOfFiles = [EMFILE, ENFILE].contains(sqlite3_system_errno(handle))
        }
    }

    private static func text(of code: Int32, handle: OpaquePointer?) -> String {
        switch Int(code) {
        case PAGECIPHER_PLAIN: return "the file is not encrypted"
        case PAGECIPHER_WRONG_KEY: return "the key does not match the file"
        case PAGECIPHER_DAMAGED:
            var isInLog = false
            let page = pagecipher_damaged_page(&isInLog)
            return "page \(page)\(isInLog ? " in the log" : "") does not match its authentication code"
        default: return handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        }
    }

    /// Whether a key was given for a file that is not encrypted.
    package var isPlain: Bool { Int(code) == PAGECIPHER_PLAIN }

    /// Whether no page of an encrypted file matches the key.
    package var isWrongKey: Bool { Int(code) == PAGECIPHER_WRONG_KEY }

    /// Whether a page of an encrypted file does not match its authentication code. The message names the page.
    package var isDamagedPage: Bool { Int(code) == PAGECIPHER_DAMAGED }

    /// Whether the file is not a database, or is an encrypted database that was opened without a key.
    package var isNoDatabase: Bool { code == SQLITE_NOTADB }

    /// The primary result code, without the extension in the upper bits.
    package var primaryCode: Int32 { code & 0xff }

    /// Whether another connection holds a lock that the call needs.
    package var isBusy: Bool { primaryCode == SQLITE_BUSY }

    /// Whether the statement was interrupted (``SQLiteConnection/ask(every:mayGoOn:)``).
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }

    /// Whether the disk was full.
    package var isDiskFull: Bool { primaryCode == SQLITE_FULL }

    /// Whether the result is SQLite's generic error. For a call with valid SQL it means that something is missing: a
    /// table, or the row of a blob. Reading beyond the end of a blob has the same result.
    package var isMissing: Bool { primaryCode == SQLITE_ERROR }

    /// Whether the file is not an SQLite database, or is a damaged SQLite database.
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    package var description: String { message }
}
