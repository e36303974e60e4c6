//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// A range of document ids, in bytewise order.
public struct IDRange: Sendable {
    /// The first id; `nil` for the beginning.
    public var lower: String?
    /// Whether `lower` itself is included.
    public var lowerIsIncluded = true
    /// The last id; `nil` for the end.
    public var upper: String?
    /// Whether `upper` itself is included.
    public var upperIsIncluded = true

    /// Creates a range. If an id is `nil`, the range has no bound at that end.
    public init(
        lower: String? = nil, lowerIsIncluded: Bool = true, upper: String? = nil, upperIsIncluded: Bool = true
    ) {
        self.lower = lower
        self.lowerIsIncluded = lowerIsIncluded
        self.upper = upper
        self.upperIsIncluded = upperIsIncluded
    }
}

extension IDRange {
    /// Excludes an id and all ids before it in the direction of the scan.
    package mutating func goOn(after id: String, descending: Bool) {
        if descending {
            (upper, upperIsIncluded) = (id, false)
        } else {
            (lower, lowerIsIncluded) = (id, false)
        }
    }
}

/// One slice of a scan.
package struct RowSlice: Sendable {
    /// The rows in the order of the scan.
    package var rows: [DocumentRow] = []
    /// Whether the slice ended at one of its limits and more rows follow.
    package var hasMore = false

    /// Creates a slice; by default an empty slice at the end of a scan.
    package init(rows: [DocumentRow] = [], hasMore: Bool = false) {
        self.rows = rows
        self.hasMore = hasMore
    }
}

extension DocumentTable {
    /// The documents that changed after a sequence, in the order of their last change.
    package func changes(
        after sequence: Int64, detail: RowDetail, rowsMax: Int, bytesMax: Int
    ) throws -> RowSlice {
        let statement = try changesStatement(detail: detail)
        statement.bind(sequence, at: 1)
        if let owner = scope.ownerKey { statement.bind(owner, at: 2) }
        return try slice(statement, detail: detail, rowsMax: rowsMax, bytesMax: bytesMax)
    }

    /// The documents that last changed before a sequence, the last change first. This method ignores the owner, so it
    /// may be called only in the scope of all documents.
    package func changes(
        before sequence: Int64, detail: RowDetail, rowsMax: Int, bytesMax: Int
    ) throws -> RowSlice {
        let statement =
            switch detail {
            case .leaves:
                try connection.statement(
                    """
                    SELECT sequence, id, number, flags, winner, leaves FROM documents
                    WHERE sequence < ?1 ORDER BY sequence DESC
                    """)
            case .bodies:
                try connection.statement(
                    """
                    SELECT sequence, id, number, flags, winner, leaves, attachments, body, tree FROM documents
                    WHERE sequence < ?1 ORDER BY sequence DESC
                    """)
            }
        statement.bind(sequence, at: 1)
        return try slice(statement, detail: detail, rowsMax: rowsMax, bytesMax: bytesMax)
    }

    private func changesStatement(detail: RowDetail) throws -> SQLiteStatement {
        switch (detail, scope.ownerKey != nil) {
        case (.leaves, false):
            return try connection.statement(
                """
                SELECT sequence, id, number, flags, winner, leaves FROM documents
                WHERE sequence > ?1 ORDER BY sequence
                """)
        case (.bodies, false):
            return try connection.statement(
                """
                SELECT sequence, id, number, flags, winner, leaves, attachments, body, tree FROM documents
                WHERE sequence > ?1 ORDER BY sequence
                """)
        case (.leaves, true):
            guard try has(.owned) else { return try connection.statement(DocumentTable.emptyResult) }
            return try connection.statement(
                """
                SELECT d.sequence, id, number, flags, winner, leaves
                FROM owned o CROSS JOIN documents d ON d.sequence = o.sequence
                WHERE o.owner = ?2 AND o.sequence > ?1 ORDER BY o.sequence
                """)
        case (.bodies, true):
            guard try has(.owned) else { return try connection.statement(DocumentTable.emptyResult) }
            return try connection.statement(
                """
                SELECT d.sequence, id, number, flags, winner, leaves, attachments, body, tree
                FROM owned o CROSS JOIN documents d ON d.sequence = o.sequence
                WHERE o.owner = ?2 AND o.sequence > ?1 ORDER BY o.sequence
                """)
        }
    }

    /// A statement that accepts the parameters of a scan and returns no row.
    private static let emptyResult: StaticString = "SELECT ?1, ?2 WHERE 0"

    /// The rows of the documents whose last changes have these sequences, in the same order, until a limit is reached.
    /// Sequences whose document was changed again or removed are omitted.
    ///
    /// - Parameter sequences: The sequences to read. The processed sequences are removed.
    package func rows(
        at sequences: inout ArraySlice<Int64>, rowsMax: Int, bytesMax: Int
    ) throws -> [DocumentRow] {
        let statement = try connection.statement(
            """
            SELECT sequence, id, number, flags, winner, leaves, attachments, body, tree FROM documents
            WHERE sequence = ?1
            """)
        defer { statement.reset() }
        var (rows, bytes): ([DocumentRow], Int) = ([], 0)
        while rows.count < rowsMax, bytes < bytesMax, let sequence = sequences.popFirst() {
            statement.reset()
            statement.bind(sequence, at: 1)
            guard try statement.step() else { continue }
            let row = try DocumentRow(statement, detail: .bodies, scope: scope)
            bytes += row.body.count
            rows.append(row)
        }
        return rows
    }

    /// The sequences of deleted documents that are greater than `sequence`, at most `most`. The documents of all owners
    /// are included. This method does not read bodies.
    package func deletedSequences(after sequence: Int64, most: Int) throws -> Set<Int64> {
        guard try connection.integer("SELECT deleted FROM state") > 0 else { return [] }
        let statement = try connection.statement(
            "SELECT sequence FROM documents WHERE sequence > ?1 AND flags & 1 LIMIT ?2")
        defer { statement.reset() }
        statement.bind(sequence, at: 1)
        statement.bind(most, at: 2)
        var sequences: Set<Int64> = []
        while try statement.step() { sequences.insert(statement.int64(0)) }
        return sequences
    }

    /// The number of the last change in the state that this connection reads.
    package func lastSequence() throws -> Int64 { Int64(try connection.integer("SELECT sequence FROM state")) }

    /// The number of documents that changed after a sequence.
    package func countChanges(after sequence: Int64) throws -> Int {
        if let owner = scope.ownerKey {
            guard try has(.owned) else { return 0 }
            let statement = try connection.statement("SELECT count(*) FROM owned WHERE owner = ?2 AND sequence > ?1")
            statement.bind(owner, at: 2)
            return try count(statement, after: sequence)
        }
        return try count(connection.statement("SELECT count(*) FROM documents WHERE sequence > ?1"), after: sequence)
    }

    private func count(_ statement: SQLiteStatement, after sequence: Int64) throws -> Int {
        defer { statement.reset() }
        statement.bind(sequence, at: 1)
        return try statement.step() ? statement.int(0) : 0
    }

    /// The number of live and deleted documents in a range of ids, and the total size of their winners' bodies in
    /// bytes.
    package func counts(in range: IDRange) throws -> (live: Int, deleted: Int, bytes: Int) {
        let (above, below) = (range.lowerIsIncluded ? ">=" : ">", range.upperIsIncluded ? "<=" : "<")
        let statement = try connection.statement(
            composed: """
                SELECT count(*), sum(flags & 1), sum(length(body)) FROM documents
                WHERE id \(above) ?1 AND (?2 IS NULL OR id \(below) ?2)
                """)
        defer { statement.reset() }
        statement.bind(scope.stored(range.lower ?? ""), at: 1)
        if let end = range.upper.map(scope.stored) ?? scope.end {
            statement.bind(end, at: 2)
        } else {
            statement.bindNull(at: 2)
        }
        guard try statement.step() else { return (0, 0, 0) }
        return (statement.int(0) - statement.int(1), statement.int(1), statement.int(2))
    }

    /// The live documents in a range of ids, in ascending or descending order.
    package func documents(
        in range: IDRange, descending: Bool, detail: RowDetail, rowsMax: Int, bytesMax: Int
    ) throws -> RowSlice {
        let statement = try scanStatement(descending: descending, detail: detail)
        statement.bind(scope.stored(range.lower ?? ""), at: 1)
        statement.bind(range.lowerIsIncluded ? 1 : 0, at: 2)
        if let upper = range.upper ?? scope.end {
            statement.bind(range.upper == nil ? upper : scope.stored(upper), at: 3)
        } else {
            // This bound is above every id, because UTF-8 never contains this byte.
            statement.bind([0xff], at: 3)
        }
        statement.bind(range.upper != nil && range.upperIsIncluded ? 1 : 0, at: 4)
        return try slice(statement, detail: detail, rowsMax: rowsMax, bytesMax: bytesMax)
    }

    /// The ids that begin with `prefix`, in ascending order, at most `rowsMax`. The ids of deleted documents are
    /// included.
    package func ids(beginningWith prefix: String, rowsMax: Int) throws -> [String] {
        let statement = try connection.statement("SELECT id FROM documents WHERE id >= ?1 ORDER BY id LIMIT ?2")
        defer { statement.reset() }
        let storedPrefix = scope.stored(prefix)
        statement.bind(storedPrefix, at: 1)
        statement.bind(rowsMax, at: 2)
        var ids: [String] = []
        // Ids with the prefix are adjacent, so the first id without the prefix ends the scan.
        while try statement.step(), case let id = statement.string(0), id.utf8.starts(with: storedPrefix.utf8) {
            ids.append(scope.visible(id))
        }
        return ids
    }

    private func scanStatement(descending: Bool, detail: RowDetail) throws -> SQLiteStatement {
        switch (detail, descending) {
        case (.leaves, false):
            try connection.statement(
                """
                SELECT sequence, id, number, flags, winner, leaves FROM documents
                WHERE id >= ?1 AND id <= ?3 AND (?2 OR id > ?1) AND (?4 OR id < ?3) AND NOT flags & 1 ORDER BY id
                """)
        case (.leaves, true):
            try connection.statement(
                """
                SELECT sequence, id, number, flags, winner, leaves FROM documents
                WHERE id >= ?1 AND id <= ?3 AND (?2 OR id > ?1) AND (?4 OR id < ?3) AND NOT flags & 1 ORDER BY id DESC
                """)
        case (.bodies, false):
            try connection.statement(
                """
                SELECT sequence, id, number, flags, winner, leaves, attachments, body, tree FROM documents
                WHERE id >= ?1 AND id <= ?3 AND (?2 OR id > ?1) AND (?4 OR id < ?3) AND NOT flags & 1 ORDER BY id
                """)
        case (.bodies, true):
            try connection.statement(
                """
                SELECT sequence, id, number, flags, winner, leaves, attachments, body, tree FROM documents
                WHERE id >= ?1 AND id <= ?3 AND (?2 OR id > ?1) AND (?4 OR id < ?3) AND NOT flags & 1 ORDER BY id DESC
                """)
        }
    }

    private func slice(
        _ statement: SQLiteStatement, detail: RowDetail, rowsMax: Int, bytesMax: Int
    ) throws -> RowSlice {
        defer { statement.reset() }
        var slice = RowSlice()
        slice.rows.reserveCapacity(min(rowsMax, bytesMax / StoreLimits.sliceRowBytes + 1, 500))
        var bytes = 0
        while try statement.step() {
            if slice.rows.count == rowsMax || bytes >= bytesMax {
                slice.hasMore = true
                break
            }
            let row = try DocumentRow(statement, detail: detail, scope: scope, checksBody: checksBodies)
            bytes += row.body.count + StoreLimits.sliceRowBytes
            slice.rows.append(row)
        }
        return slice
    }
}
