//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitStore

extension QueryCursor {
    /// Whether the results are exactly the documents that one JSON index finds, and are returned unchanged. If so, they
    /// are copied from the rows without parsing.
    var readsStoredRows: Bool {
        guard plan.isExact, plan.prepared.projection == nil, !plan.prepared.query.showsConflicts else { return false }
        if case .json = plan.accesses[0] { return true }
        return false
    }

    /// Processes the next rows. See ``readsStoredRows``.
    ///
    /// - Parameter take: Reads a winner from the current row of a statement, and returns the number of bytes of its
    ///   body.
    /// - Returns: The number of rows. The number can be 0 although more rows follow.
    mutating func takeStoredRows(
        upTo wanted: Int, bytesMax: Int, _ take: (SQLiteStatement, Scope) throws -> Int
    ) throws(StoreError) -> Int {
        guard !isAtEnd, wanted > 0, case .json(let access) = plan.accesses[0] else { return 0 }
        var room = room(for: wanted, bytesMax: bytesMax)
        isAtEnd = try slices.read { table, isLast in
            let isAtEnd = try plan.accesses[0].reading(table) { try takeStoredRows(access, table, &room, take) }
            isLast = isAtEnd || room.found == 0
            return isAtEnd
        }
        statistics.resultsReturned += wanted - room.found
        return wanted - room.found
    }

    /// - Returns: Whether no more rows follow.
    private mutating func takeStoredRows(
        _ access: JSONAccess, _ table: DocumentTable, _ room: inout Room,
        _ take: (SQLiteStatement, Scope) throws -> Int
    ) throws -> Bool {
        for range in access.isBackward ? access.ranges.reversed() : access.ranges {
            guard let statement = try access.statement(range, after: position, in: table, .winners) else {
                continue
            }
            defer { statement.reset() }
            while try statement.step() {
                statistics.keysExamined += 1
                statistics.documentsExamined += 1
                access.read(&position, from: statement, .winners)
                room.bytes -= try take(statement, table.scope)
                room.found -= 1
                room.rows -= 1
                if room.isFull { return false }
            }
        }
        return true
    }
}
