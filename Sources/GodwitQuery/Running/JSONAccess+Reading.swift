//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite
import GodwitSelector
import GodwitStore

/// The statements that read an index.
extension JSONAccess {
    /// An entry as a statement gives it.
    struct Entry {
        let key: [UInt8]
        let storedID: String
        /// The values of the fields; `nil` where the index does not have them.
        let values: [UInt8]?

        init(_ statement: SQLiteStatement, isCovered: Bool) {
            let column: Int32 = isCovered ? 0 : 9
            key = statement.bytes(column) ?? []
            storedID = statement.string(isCovered ? 1 : column + 1)
            values = isCovered ? statement.bytes(2) : nil
        }
    }

    /// A statement over the entries of a range, behind a place; the documents' rows come first, unless the index has all.
    ///
    /// - Returns: `nil` when the range lies before the place.
    func statement(
        _ range: KeyRange, after place: QueryPlace, in table: DocumentTable, isCovered: Bool
    ) throws -> SQLiteStatement? {
        var (lower, upper) = ((range.lower, ""), (range.upper, ""))
        if !place.id.isEmpty {
            if isBackward {
                if place.key.lexicographicallyPrecedes(range.lower) { return nil }
                if place.key.lexicographicallyPrecedes(range.upper) { upper = (place.key, place.id) }
            } else {
                if !place.key.lexicographicallyPrecedes(range.upper) { return nil }
                if !place.key.lexicographicallyPrecedes(range.lower) { lower = (place.key, place.id) }
            }
        }
        let statement = try table.connection.statement(composed: sql(table.scope, isCovered: isCovered))
        statement.bind(lower.0 as [UInt8]?, at: 1)
        statement.bind(lower.1, at: 2)
        statement.bind(upper.0 as [UInt8]?, at: 3)
        statement.bind(upper.1, at: 4)
        if let end = table.scope.end {
            statement.bind(table.scope.prefix, at: 5)
            statement.bind(end, at: 6)
        }
        return statement
    }

    private func sql(_ scope: Scope, isCovered: Bool) -> String {
        let order = isBackward ? "ORDER BY q.key DESC, q.id DESC" : "ORDER BY q.key, q.id"
        let within = scope.end == nil ? "" : "AND q.id >= ?5 AND q.id < ?6"
        let columns =
            isCovered
            ? "q.key, q.id, q.\"values\" FROM \(index.entriesTable) q"
            : """
            d.sequence, d.id, d.number, d.flags, d.winner, d.leaves, d.attachments, d.body, d.tree, q.key, q.id
            FROM \(index.entriesTable) q CROSS JOIN documents d ON d.sequence = q.sequence
            """
        return """
            SELECT \(columns) WHERE (q.key, q.id) \(isBackward ? ">=" : ">") (?1, ?2) AND (q.key, q.id) < (?3, ?4)
            \(within) \(order)
            """
    }

    /// The row of the document of an entry.
    func row(_ statement: SQLiteStatement, _ table: DocumentTable) throws -> DocumentRow {
        try DocumentRow(statement, detail: .bodies, scope: table.scope)
    }

    /// The part of a document that the index has; `nil` where the document must be read.
    func part(of entry: Entry, in table: DocumentTable) throws -> [UInt8]? {
        guard let values = entry.values else { return nil }
        var object: JSONObject = ["_id": .string(table.scope.visible(entry.storedID))]
        var place = 0
        for path in definition.paths {
            let count = Int(values[place])
            let text = values[place + 1..<place + 1 + count]
            place += 1 + count
            guard count > 0, path.text != "_id" else { continue }
            object.set(path.steps[...], to: try JSONValue(parsing: Array(text)))
        }
        return JSONValue.object(object).jsonBytes()
    }
}
