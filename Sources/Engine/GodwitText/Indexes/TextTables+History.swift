//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// Recently replaced texts.
///
/// A page of hits continues at the score of the last hit of the previous page. If a document is edited between two
/// pages, its score changes, so that it could be returned twice or not at all. Therefore, the score that the document
/// had at the start of the search is used. For this purpose, the replaced text is stored for a while.
extension TextTables {
    struct PastText {
        let row: TextRow
        let text: [UInt8]
    }

    /// Stores a text that a change replaces. A text longer than ``TextLimits/historyBytesMax`` is not stored, so its
    /// document may be missing from later pages of a running search.
    func remember(_ text: [UInt8], of entry: Entry, until sequence: Int64) throws {
        guard text.count <= TextLimits.historyBytesMax else { return }
        let statement = try connection.statement(
            composed: """
                INSERT OR REPLACE INTO \(name)_history(until, since, row, text) VALUES(?1, ?2, ?3, ?4)
                """)
        statement.bind(sequence, at: 1)
        statement.bind(entry.since, at: 2)
        statement.bind(entry.row.rawValue, at: 3)
        try statement.run(binding: text, at: 4)
    }

    /// Deletes the oldest texts beyond ``TextLimits/historyMax``.
    func forget() throws {
        let statement = try connection.statement(
            composed: """
                DELETE FROM \(name)_history WHERE until <= (
                    SELECT until FROM \(name)_history ORDER BY until DESC LIMIT 1 OFFSET \(TextLimits.historyMax))
                """)
        try statement.run()
    }

    /// Returns the rows whose texts changed after a sequence, ascending.
    func rows(changedAfter sequence: Int64) throws -> [TextRow] {
        let statement = try connection.statement(
            composed: """
                SELECT t.row FROM documents d JOIN \(name)_documents t ON t.number = d.number
                WHERE d.sequence > ?1 AND t.since > ?1
                """)
        defer { statement.reset() }
        statement.bind(sequence, at: 1)
        var rows: [TextRow] = []
        while try statement.step() { rows.append(TextRow(rawValue: statement.int64(0))) }
        return rows.sorted()
    }

    /// Returns the texts that existed at a sequence and have been replaced since.
    func past(at sequence: Int64) throws -> [PastText] {
        let statement = try connection.statement(
            composed: "SELECT row, text FROM \(name)_history WHERE until > ?1 AND since <= ?1")
        defer { statement.reset() }
        statement.bind(sequence, at: 1)
        var past: [PastText] = []
        while try statement.step() {
            past.append(PastText(row: TextRow(rawValue: statement.int64(0)), text: statement.bytes(1) ?? []))
        }
        return past
    }
}
