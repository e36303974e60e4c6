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
    /// A statement over the entries of a range, behind a place; the documents' rows come first, unless the index has all.
    ///
    /// - Returns: `nil` when the range lies before the place.
    func statement(
        _ range: KeyRange, after place: QueryPlace, in table: DocumentTable, isCovered: Bool
    ) throws -> SQLiteStatement? {
        var (lower, upper) = (
            QueryPlace(access: 0, key: range.lower, id: []), QueryPlace(access: 0, key: range.upper, id: [])
        )
        if !place.id.isEmpty {
            if isBackward {
                if place.key.lexicographicallyPrecedes(range.lower) { return nil }
                if place.key.lexicographicallyPrecedes(range.upper) { upper = place }
            } else {
                if !place.key.lexicographicallyPrecedes(range.upper) { return nil }
                if !place.key.lexicographicallyPrecedes(range.lower) { lower = place }
            }
        }
        let statement = try table.connection.statement(composed: sql(table.scope, isCovered: isCovered))
        statement.bind(lower.key as [UInt8]?, at: 1)
        statement.bind(lower.storedID, at: 2)
        statement.bind(upper.key as [UInt8]?, at: 3)
        statement.bind(upper.storedID, at: 4)
        if let end = table.scope.end {
            statement.bind(table.scope.prefix, at: 5)
            statement.bind(end, at: 6)
        }
        return statement
    }

    private func sql(_ scope: Scope, isCovered: Bool) -> String {
        let columns =
            isCovered
            ? "q.key, q.id, q.\"values\" FROM \(index.entriesTable) q"
            : """
            d.sequence, d.id, d.number, d.flags, d.winner, d.leaves, d.attachments, d.body, d.tree, q.key, q.id
            FROM \(index.entriesTable) q CROSS JOIN documents d ON d.sequence = q.sequence
            """
        return """
            SELECT \(columns) WHERE EXISTS(SELECT 1 FROM indexes WHERE number = \(index.number) AND state = 1)
            AND (q.key, q.id) \(isBackward ? ">=" : ">") (?1, ?2) AND (q.key, q.id) < (?3, ?4)
            \(scope.end == nil ? "" : "AND q.id >= ?5 AND q.id < ?6")
            \(isBackward ? "ORDER BY q.key DESC, q.id DESC" : "ORDER BY q.key, q.id")
            """
    }

    /// Takes the place of the entry that a statement is at.
    func read(_ place: inout QueryPlace, from statement: SQLiteStatement, isCovered: Bool) {
        statement.read(isCovered ? 0 : 9, into: &place.key)
        statement.read(isCovered ? 1 : 10, into: &place.id)
    }

    /// The part of a document that the index has; `nil` where the document must be read.
    func part(_ statement: SQLiteStatement, of place: QueryPlace, in table: DocumentTable) throws -> [UInt8]? {
        guard let values = statement.bytes(2) else { return nil }
        var object: JSONObject = ["_id": .string(table.scope.visible(place.storedID))]
        var start = 0
        for path in definition.paths {
            let count = Int(values[start])
            let text = values[start + 1..<start + 1 + count]
            start += 1 + count
            guard count > 0, path.text != "_id" else { continue }
            object.set(path.steps[...], to: try JSONValue(parsing: Array(text)))
        }
        return JSONValue.object(object).jsonBytes()
    }
}
