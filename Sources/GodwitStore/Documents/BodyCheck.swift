//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite

// Stored bodies are spliced into answers as they are, so that damage of the file would reach the wire. Their UTF-8 is
// checked where they are read from their rows. Damage that leaves valid UTF-8 is found where a body is parsed, and by the
// check of a database.

extension SQLiteStatement {
    /// A stored body.
    ///
    /// - Parameter id: The document's, for the message of an error.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` when it is not valid UTF-8.
    func body(_ column: Int32, of id: @autoclosure () -> String) throws(StoreError) -> [UInt8] {
        guard withBytes(column, { $0.isUTF8 }) else { throw .damagedDocument(id()) }
        return bytes(column) ?? []
    }
}

extension StoreError {
    /// The failure of a document whose stored body is damaged.
    static func damagedDocument(_ id: String) -> StoreError { .damage("the document \(id) is damaged") }
}
