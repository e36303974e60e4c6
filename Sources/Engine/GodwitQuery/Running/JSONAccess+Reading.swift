//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite
import GodwitSelector
import GodwitStore

/// The columns that a statement over an index returns. The key is the last column. It is omitted if all entries have
/// the same key.
enum EntryColumns: Int {
    /// The ids, and the stored values.
    case covered = 0
    /// The rows of the documents, without their revision trees.
    case rows = 1
    /// The winners of the documents.
    case winners = 2

    fileprivate var key: Int32 {
        switch self {
        case .covered: 2
        case .rows: 8
        case .winners: 4
        }
    }

    fileprivate var id: Int32 { self == .rows ? 1 : 0 }

    fileprivate func sql(_ index: IndexDescription, hasOneKey: Bool) -> String {
        let key = hasOneKey ? "" : ", q.key"
        let join = "FROM \(index.entriesTable) q CROSS JOIN documents d ON d.sequence = q.sequence"
        return switch self {
        case .covered: "q.id, q.\"values\"\(key) FROM \(index.entriesTable) q"
        case .rows: "d.sequence, d.id, d.number, d.flags, d.winner, d.leaves, d.attachments, d.body\(key) \(join)"
        case .winners: "d.id, d.winner, d.attachments, d.body\(key) \(join)"
        }
    }
}

/// The statements that read an index.
extension JSONAccess {
    /// Returns a statement over the entries of a range after a position. Its execution fails if the index has been
    /// deleted: see ``AccessPath/reading(_:_:)``.
    ///
    /// - Returns: `nil` when the range is before the position in the reading direction, so that nothing remains to be
    ///   read.
    func statement(
        _ range: KeyRange, after position: QueryPosition, in table: DocumentTable, _ columns: EntryColumns
    ) throws -> SQLiteStatement? {
        var (lower, upper) = (
            QueryPosition(access: 0, key: range.lower, id: []), QueryPosition(access: 0, key: range.upper, id: [])
        )
        if !position.id.isEmpty {
            if isBackward {
                if position.key.lexicographicallyPrecedes(range.lower) { return nil }
                if position.key.lexicographicallyPrecedes(range.upper) { upper = position }
            } else {
                if !position.key.lexicographicallyPrecedes(range.upper) { return nil }
                if !position.key.lexicographicallyPrecedes(range.lower) { lower = position }
            }
        }
        let startsAfterEntry = !position.id.isEmpty && (!hasOneKey || position.key == range.lower)
        let scopeEnd = table.scope.end
        // The statement has several forms. Each form has a number, under which the connection caches the statement.
        let form =
            columns.rawValue | (startsAfterEntry ? 4 : 0) | (isBackward ? 8 : 0) | (scopeEnd == nil ? 0 : 16)
            | (hasOneKey ? 32 : 0)
        let statement = try table.connection.statement(of: index.number, form: form) {
            sql(columns, isPlaced: startsAfterEntry, isScoped: scopeEnd != nil)
        }
        statement.bind(lower.key as [UInt8]?, at: 1)
        if !hasOneKey { statement.bind(upper.key as [UInt8]?, at: 2) }
        if startsAfterEntry, hasOneKey {
            statement.bind(position.storedID, at: 3)
        } else if startsAfterEntry {
            statement.bind(lower.storedID, at: 3)
            statement.bind(upper.storedID, at: 4)
        }
        if let scopeEnd {
            statement.bind(table.scope.prefix, at: 5)
            statement.bind(scopeEnd, at: 6)
        }
        return statement
    }

    private func sql(_ columns: EntryColumns, isPlaced: Bool, isScoped: Bool) -> String {
        let condition =
            if hasOneKey {
                "q.key = ?1" + (isPlaced ? " AND q.id \(isBackward ? "<" : ">") ?3" : "")
            } else if isPlaced {
                "(q.key, q.id) \(isBackward ? ">=" : ">") (?1, ?3) AND (q.key, q.id) < (?2, ?4)"
            } else {
                "q.key >= ?1 AND q.key < ?2"
            }
        return """
            SELECT \(columns.sql(index, hasOneKey: hasOneKey))
            WHERE \(condition) \(isScoped ? "AND q.id >= ?5 AND q.id < ?6" : "")
            \(isBackward ? "ORDER BY q.key DESC, q.id DESC" : "ORDER BY q.key, q.id")
            """
    }

    /// Reads the position of a statement's current entry.
    func read(_ position: inout QueryPosition, from statement: SQLiteStatement, _ columns: EntryColumns) {
        if !hasOneKey {
            statement.read(columns.key, into: &position.key)
        } else if position.id.isEmpty {
            position.key = ranges[0].lower
        }
        statement.read(columns.id, into: &position.id)
    }

    /// Returns the part of a document that the index stores; `nil` if the document must be read.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if the stored values are damaged.
    func part(_ statement: SQLiteStatement, of position: QueryPosition, in table: DocumentTable) throws -> [UInt8]? {
        guard let values = statement.bytes(1) else { return nil }
        var object: JSONObject = ["_id": .string(table.scope.visible(position.storedID))]
        var byteOffset = 0
        for path in definition.paths {
            guard byteOffset < values.count, case let length = Int(values[byteOffset]),
                length < values.count - byteOffset
            else { throw StoreError.damagedRow }
            let text = values[byteOffset + 1..<byteOffset + 1 + length]
            byteOffset += 1 + length
            guard length > 0, path.text != "_id" else { continue }
            object.set(path.steps[...], to: try JSONValue(parsing: Array(text)))
        }
        return JSONValue.object(object).jsonBytes()
    }
}
