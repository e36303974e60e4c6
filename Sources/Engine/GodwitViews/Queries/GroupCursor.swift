//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitSQLite
import GodwitSelector
package import GodwitStore

/// A row of a reduced query.
package struct ReducedRow: Sendable {
    /// The group's key as JSON; `null` for a single group of all rows.
    package let key: [UInt8]
    /// The value as JSON, or the error ``ViewError/Code/reduceOverflow`` if the reduction failed with this error.
    package let value: Result<[UInt8], ViewError>
}

/// Reads the groups of a reduced query in slices, for a `SliceReader`. A slice can end within a group. If it does, the
/// next slice begins with the other rows of this group.
package struct GroupCursor: Sendable {
    /// The rows of a group that were read up to the end of a slice.
    package struct Group: Sendable {
        let key: [UInt8]
        let collection: RowCollection
        /// Whether all rows of the group were read.
        let isComplete: Bool
    }

    private let plan: ViewPlan
    /// The ranges that remain to be read. The last range of the array is read first.
    private var ranges: [EntryRange]
    /// The number of groups that remain to be skipped.
    private var skip: Int
    /// The number of groups that remain to be returned.
    private var remainingCount: Int
    /// The incomplete group at the end of a slice: its key, the range of its rows that were not read, and the number
    /// and the reduction of its rows that were read. ``reduce(_:)`` sets the reduction.
    private var incompleteGroup: (key: [UInt8], unreadRange: EntryRange, count: Int, reduction: [UInt8])?

    /// Creates a cursor before the first group of a query. The `skip` and `limit` of the query apply to groups.
    package init(_ plan: ViewPlan) {
        self.plan = plan
        ranges = plan.ranges.reversed()
        skip = plan.query.skip
        remainingCount = plan.query.limit
    }

    /// Whether no group remains. It can be `false` although the next slice is `nil`.
    package var isAtEnd: Bool { incompleteGroup == nil && (remainingCount == 0 || ranges.isEmpty) }

    /// Returns the next groups; `nil` at the end. The caller must reduce the groups before it calls this method again.
    ///
    /// - Parameter table: The table of one read transaction.
    /// - Throws: ``ViewError`` when a built-in function cannot reduce a value; ``StoreError`` when the index was
    ///   removed; rethrows errors of reading the database.
    package mutating func next(from table: DocumentTable) throws -> [Group]? {
        let tree = try SpanTree(plan, table)
        var (groups, readCount): ([Group], Int) = ([], 0)
        let rowsMax = plan.limits.sliceRowsMax * 4
        while groups.count < plan.limits.groupsPerSliceMax, readCount < rowsMax, groups.last?.isComplete != false {
            guard let (key, range) = try nextGroup(tree) else { break }
            var collector = plan.reducer.collector(readMax: max(rowsMax - readCount, SpanLevels.rowsPerPieceUsual))
            if let incompleteGroup {
                try collector.take(count: incompleteGroup.count, reduction: incompleteGroup.reduction)
            }
            let unreadStart = try tree.walk(range, &collector)
            let group = Group(key: key, collection: collector.stretch, isComplete: unreadStart == nil)
            readCount += collector.read
            incompleteGroup = unreadStart.map {
                (key, EntryRange(lower: $0, upper: range.upper), group.collection.count, [])
            }
            if group.isComplete { remainingCount -= 1 }
            groups.append(group)
        }
        return groups.isEmpty ? nil : groups
    }

    /// Returns one row for each complete group. An incomplete group has no row yet, because the next slice reads the
    /// other rows of the group.
    package mutating func reduce(_ groups: [Group]) async throws -> [ReducedRow] {
        let reductions = try await plan.reducer.reduce(groups.map(\.collection))
        var rows: [ReducedRow] = []
        for (group, reduction) in zip(groups, reductions) {
            if group.isComplete {
                rows.append(ReducedRow(key: group.key, value: try value(of: reduction)))
            } else {
                incompleteGroup?.reduction = reduction
            }
        }
        return rows
    }

    /// Returns the value of a row. As in CouchDB, if the result of a reduce function grows with its input, only this
    /// row contains an error. Other errors are thrown, so the query fails.
    private func value(of reduction: [UInt8]) throws -> Result<[UInt8], ViewError> {
        do {
            return .success(try plan.reducer.result(reduction))
        } catch let error as ViewError where error.code == .reduceOverflow {
            return .failure(error)
        }
    }

    /// Returns the key and the range of the next group that is not skipped. If a group is incomplete, returns its key
    /// and the range of its unread rows. Returns `nil` at the end.
    private mutating func nextGroup(_ tree: SpanTree) throws -> ([UInt8], EntryRange)? {
        if let incompleteGroup { return (incompleteGroup.key, incompleteGroup.unreadRange) }
        while remainingCount > 0, let range = ranges.last {
            guard let first = try tree.rows(range, descending: plan.query.descending, countMax: 1).first else {
                ranges.removeLast()
                continue
            }
            let (key, groupRange) = plan.group(of: first)
            let visibleRange = groupRange.intersection(range)
            let lastIndex = ranges.count - 1
            if plan.query.descending {
                ranges[lastIndex].upper = visibleRange.lower
            } else {
                ranges[lastIndex].lower = visibleRange.upper
            }
            if skip == 0 { return (key, visibleRange) }
            skip -= 1
        }
        return nil
    }
}

extension ViewPlan {
    /// Returns the key of a row's group, as JSON, and the range of the group's entries.
    fileprivate func group(of row: StoredRow) -> ([UInt8], EntryRange) {
        guard query.grouping != .none, let tape = try? JSONTape(scanning: row.key) else {
            return (Array("null".utf8), whole)
        }
        var bytes = prefix
        if case .level(let level) = query.grouping, tape.kind(0) == .array, tape.count(of: 0) > level {
            bytes.append(collation.arrayTag)
            var key: [UInt8] = [UInt8(ascii: "[")]
            for (index, element) in tape.elements(of: 0).enumerated().prefix(level) {
                if index > 0 { key.append(UInt8(ascii: ",")) }
                key += tape.slice(element)
                collation.append(tape, at: element, to: &bytes)
            }
            return (key + [UInt8(ascii: "]")], EntryRange(prefix: bytes))
        }
        if case .level(let level) = query.grouping, tape.kind(0) == .array {
            // The key of an array ends with 0x00. If an array has as many elements as the level, longer arrays that
            // start with the same elements are in its group. Therefore, the prefix of this group does not contain the
            // 0x00. If an array is shorter than the level, only equal arrays are in its group. Therefore, the prefix of
            // this group ends with the 0x00.
            bytes.append(collation.arrayTag)
            for element in tape.elements(of: 0) { collation.append(tape, at: element, to: &bytes) }
            if tape.count(of: 0) < level { bytes.append(0x00) }
        } else {
            collation.append(tape, at: 0, to: &bytes)
        }
        return (row.key, EntryRange(prefix: bytes))
    }
}

extension ViewGroup.Collation {
    /// The first byte of an array's key.
    fileprivate var arrayTag: UInt8 {
        var key: [UInt8] = []
        if let tape = try? JSONTape(scanning: Array("[]".utf8)) { append(tape, at: 0, to: &key) }
        return key.first ?? 0
    }
}
