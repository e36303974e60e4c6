//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
package import GodwitStore

/// Reads the rows of a query in slices. Between slices no transaction is open, and the view can be updated.
package struct ViewCursor: Sendable {
    private let plan: ViewPlan
    /// The ranges that remain to be read, in reverse order of the query.
    private var ranges: [EntryRange]
    private var skip: Int
    private var left: Int

    package init(_ plan: ViewPlan) {
        self.plan = plan
        ranges = plan.ranges.reversed()
        skip = plan.query.skip
        left = plan.query.limit
    }

    /// Returns the number of rows of the view, and the offset of the query: the number of rows before its first row,
    /// those that `skip` skips included. Call it before the first ``next(from:bytesMax:)``, which changes the ranges.
    package func totals(from table: DocumentTable) throws -> (rows: Int, offset: Int) {
        let tree = try SpanTree(plan, table)
        let total = try tree.count(plan.whole)
        guard let first = ranges.last else { return (total, 0) }
        let before =
            plan.query.descending
            ? EntryRange(lower: first.upper, upper: plan.whole.upper)
            : EntryRange(lower: plan.whole.lower, upper: first.lower)
        let offset = before.isEmpty ? 0 : try tree.count(before)
        return (total, min(total, offset + min(skip, total)))
    }

    /// Returns the next rows; `nil` at the end.
    ///
    /// - Parameters:
    ///   - table: The table of one read transaction; see `Datastore.readTogether`.
    ///   - bytesMax: The number of bytes of rows after which a slice ends. The limits of the plan, in rows and in
    ///     bytes, also end a slice.
    package mutating func next(from table: DocumentTable, bytesMax: Int = .max) throws -> [StoredRow]? {
        guard left > 0, !ranges.isEmpty else { return nil }
        let tree = try SpanTree(plan, table)
        try passSkipped(tree)
        var (rows, bytes): ([StoredRow], Int) = ([], 0)
        let (rowsMax, bytesMax) = (min(left, plan.limits.sliceRowsMax), min(bytesMax, plan.limits.sliceBytesMax))
        while rows.count < rowsMax, bytes < bytesMax, let range = ranges.last {
            let more = try tree.rows(
                range, descending: plan.query.descending, countMax: rowsMax - rows.count, bytesMax: bytesMax - bytes)
            bytes += more.reduce(0) { $0 + $1.key.count + $1.value.count + $1.entry.bytes.count }
            rows += more
            if let last = more.last { goOn(after: last.entry.bytes) } else { ranges.removeLast() }
        }
        left -= rows.count
        return rows.isEmpty ? nil : rows
    }

    private mutating func goOn(after entry: [UInt8]) {
        let position = ranges.count - 1
        if plan.query.descending { ranges[position].upper = entry } else { ranges[position].lower = entry + [0] }
    }

    /// Skips the first rows of the query without reading them. The tree consists of spans: ranges of rows with their
    /// counts.
    private mutating func passSkipped(_ tree: SpanTree) throws {
        while skip > 0, let range = ranges.last {
            let count = try tree.count(range)
            guard skip < count else {
                skip -= count
                ranges.removeLast()
                continue
            }
            let position = ranges.count - 1
            if plan.query.descending {
                ranges[position].upper = try tree.start(ofRow: count - skip, in: range)
            } else {
                ranges[position].lower = try tree.start(ofRow: skip, in: range)
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
