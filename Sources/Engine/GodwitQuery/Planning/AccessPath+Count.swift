//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitSelector
import GodwitStore
import GodwitText

extension AccessPath {
    /// Counts the rows that the access path finds.
    ///
    /// - Parameter most: The count at which counting stops. A text search ignores this maximum.
    func count(upTo most: Int, in table: DocumentTable) throws -> Int {
        switch self {
        case .documents(let access): try access.count(upTo: most, in: table)
        case .json(let access): try access.count(upTo: most, in: table)
        case .text(let access): try access.search(on: table.connection).count()
        case .geo(let access): try access.search.count(upTo: most, in: table)
        }
    }
}

extension DocumentsAccess {
    fileprivate func count(upTo most: Int, in table: DocumentTable) throws -> Int {
        var count = 0
        for range in ranges where count < most {
            count +=
                try table.documents(
                    in: range, descending: false, detail: .leaves, rowsMax: most - count, bytesMax: .max
                ).rows.count
        }
        return count
    }
}

extension JSONAccess {
    /// Counts entries. If several array elements of a document have entries in the ranges, the document is counted
    /// several times.
    func count(upTo most: Int, in table: DocumentTable) throws -> Int {
        let within = table.scope.prefix.isEmpty ? "" : "AND id >= ?4 AND id < ?5"
        let statement = try table.connection.statement(
            composed: """
                SELECT count(*) FROM (
                    SELECT 1 FROM \(index.entriesTable) WHERE key >= ?1 AND key < ?2 \(within) LIMIT ?3)
                """)
        var count = 0
        for range in ranges where count < most {
            defer { statement.reset() }
            statement.bind(range.lower as [UInt8]?, at: 1)
            statement.bind(range.upper as [UInt8]?, at: 2)
            statement.bind(most == .max ? -1 : most - count, at: 3)
            if let end = table.scope.end {
                statement.bind(table.scope.prefix, at: 4)
                statement.bind(end, at: 5)
            }
            if try statement.step() { count += statement.int(0) }
        }
        return count
    }

    /// Returns the numbers of the documents that the access path finds, ascending. A document is listed several times
    /// if several of its array elements have entries in the ranges.
    func documentNumbers(in table: DocumentTable) throws -> [Int64] {
        let statement = try table.connection.statement(
            composed: """
                SELECT d.number FROM \(index.entriesTable) q CROSS JOIN documents d ON d.sequence = q.sequence
                WHERE q.key >= ?1 AND q.key < ?2
                """)
        var numbers: [Int64] = []
        for range in ranges {
            defer { statement.reset() }
            statement.bind(range.lower as [UInt8]?, at: 1)
            statement.bind(range.upper as [UInt8]?, at: 2)
            while try statement.step() { numbers.append(statement.int64(0)) }
        }
        numbers.sort()
        return numbers
    }
}
