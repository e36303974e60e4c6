//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitQuery
import GodwitSQLite
package import GodwitStore

/// Reads the rows of a query in slices, for a `SliceReader`.
package struct ViewCursor: Sendable {
    private let plan: ViewPlan
    /// The ranges that remain to be read. The last range of the array is read first.
    private var ranges: [EntryRange]
    /// The number of rows that remain to be skipped.
    private var skip: Int
    /// The number of rows that remain to be returned.
    private var remainingCount: Int

    /// Creates a cursor before the first row of a query. The `skip` and `limit` of the query apply to rows.
    package init(_ plan: ViewPlan) {
        self.plan = plan
        ranges = plan.ranges.reversed()
        skip = plan.query.skip
        remainingCount = plan.query.limit
    }

    /// Whether no row remains. It can be `false` although the next slice is `nil`.
    package var isAtEnd: Bool { remainingCount == 0 || ranges.isEmpty }

    /// Returns the number of rows of the view that are visible to the query, and the offset of the query. The offset is
    /// the number of rows before the query's first row, including the rows that `skip` skips. The offset is at most the
    /// number of rows. Call this method before the first ``next(from:bytesMax:)``, which changes the ranges.
    package func totals(from table: DocumentTable) throws -> (rows: Int, offset: Int) {
        let tree = try SpanTree(plan, table)
        let total = try tree.count(plan.whole)
        guard let first = ranges.last else { return (total, 0) }
        let before =
            plan.query.descending
            ? EntryRange(lower: first.upper, upper: plan.whole.upper)
            : EntryRange(lower: plan.whole.lower, upper: first.lower)
        let offset = before.isEmpty ? 0 : try tree.count(before)
        return (total, min(total, offset.addingSaturated(min(skip, total))))
    }

    /// Returns the next rows; `nil` at the end.
    ///
    /// - Parameters:
    ///   - table: The table of one read transaction.
    ///   - bytesMax: The number of bytes of rows after which a slice ends. The limits of the plan on rows and bytes can
    ///     end a slice earlier.
    /// - Throws: ``StoreError`` when the index was removed; rethrows errors of reading the database.
    package mutating func next(from table: DocumentTable, bytesMax: Int = .max) throws -> [StoredRow]? {
        guard !isAtEnd else { return nil }
        let tree = try SpanTree(plan, table)
        try skipRows(tree)
        var (rows, byteCount): ([StoredRow], Int) = ([], 0)
        let (rowsMax, bytesMax) = (
            min(remainingCount, plan.limits.sliceRowsMax), min(bytesMax, plan.limits.sliceBytesMax)
        )
        while rows.count < rowsMax, byteCount < bytesMax, let range = ranges.last {
            let rangeRows = try tree.rows(
                range, descending: plan.query.descending, countMax: rowsMax - rows.count, bytesMax: bytesMax - byteCount
            )
            byteCount += rangeRows.reduce(0) { $0 + $1.key.count + $1.value.count + $1.entry.bytes.count }
            rows += rangeRows
            if let last = rangeRows.last { removeRows(upTo: last.entry.bytes) } else { ranges.removeLast() }
        }
        remainingCount -= rows.count
        return rows.isEmpty ? nil : rows
    }

    /// Removes the row of an entry and the rows before it from the current range. The next possible entry consists of
    /// the bytes of this entry and the byte 0.
    private mutating func removeRows(upTo entry: [UInt8]) {
        let lastIndex = ranges.count - 1
        if plan.query.descending { ranges[lastIndex].upper = entry } else { ranges[lastIndex].lower = entry + [0] }
    }

    /// Skips the first rows of the query without reading them. The tree consists of spans: ranges of rows with their
    /// counts.
    private mutating func skipRows(_ tree: SpanTree) throws {
        while skip > 0, let range = ranges.last {
            let count = try tree.count(range)
            guard skip < count else {
                skip -= count
                ranges.removeLast()
                continue
            }
            let lastIndex = ranges.count - 1
            if plan.query.descending {
                ranges[lastIndex].upper = try tree.start(ofRow: count - skip, in: range)
            } else {
                ranges[lastIndex].lower = try tree.start(ofRow: skip, in: range)
            }
            skip = 0
        }
    }
}

extension SpanTree {
    /// Creates the tree of a plan's index.
    init(_ plan: ViewPlan, _ table: DocumentTable) throws {
        guard try table.index(plan.index.number) != nil else {
            throw StoreError(.indexNotFound, "the view's index was removed while it was read. Try again.")
        }
        try self.init(ViewTables(plan.index), on: table.connection)
    }
}
