//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite

// Stored bodies are copied into responses without parsing, so damage of the file would reach clients. Therefore, the
// UTF-8 of a body is checked when its row is read. If a damaged body is still valid UTF-8, the damage is found only
// when the body is parsed or the database is checked.

extension SQLiteStatement {
    /// A stored body.
    ///
    /// - Parameter id: The document's id, for the error message.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if the body is not valid UTF-8.
    func body(_ column: Int32, of id: @autoclosure () -> String) throws(StoreError) -> [UInt8] {
        guard withBytes(column, { $0.isUTF8 }) else { throw .damagedDocument(id()) }
        return bytes(column) ?? []
    }
}

extension StoreError {
    /// The error for a document whose stored body is damaged.
    static func damagedDocument(_ id: String) -> StoreError { .damage("the document \(id) is damaged") }
}
