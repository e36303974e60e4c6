//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite
import GodwitSelector
package import GodwitStore

/// A row of a reduced query.
package struct ReducedRow: Sendable {
    /// The group's key as JSON; `null` for a single group of all rows.
    package let key: [UInt8]
    /// The value as JSON, or the error of the reduction: ``ViewError/Code/reduceOverflow``.
    package let value: Result<[UInt8], ViewError>
}

/// Reads the groups of a reduced query in slices.
package struct GroupCursor: Sendable {
    /// The part of a group that was read, and whether the group is complete.
    package struct Group: Sendable {
        let key: [UInt8]
        let stretch: RowCollection
        let isComplete: Bool
    }

    private let plan: ViewPlan
    /// The ranges that remain to be read, in reverse order of the query.
    private var ranges: [EntryRange]
    private var skip: Int
    private var left: Int
    /// The incomplete group at the end of a slice: its key, its remaining range, and the count and reduction so far.
    private var open: (key: [UInt8], rest: EntryRange, count: Int, reduction: [UInt8])?

    package init(_ plan: ViewPlan) {
        self.plan = plan
        ranges = plan.ranges.reversed()
        skip = plan.query.skip
        left = plan.query.limit
    }

    /// Returns the next groups; `nil` at the end. The caller must reduce them before it calls this method again.
    ///
    /// - Parameter table: A reader with one state of the database (`readTogether`).
    package mutating func next(from table: DocumentTable) throws -> [Group]? {
        let tree = try SpanTree(plan, table)
        var (groups, read): ([Group], Int) = ([], 0)
        let rowsMax = plan.limits.sliceRowsMax * 4
        while groups.count < plan.limits.groupsPerSliceMax, read < rowsMax, groups.last?.isComplete != false {
            guard let (key, range) = try nextGroup(tree) else { break }
            var collector = plan.reducer.collector(readMax: max(rowsMax - read, SpanLevels.rowsPerPieceUsual))
            if let open { try collector.take(count: open.count, reduction: open.reduction) }
            let stopped = try tree.walk(range, &collector)
            let group = Group(key: key, stretch: collector.stretch, isComplete: stopped == nil)
            read += collector.read
            open = stopped.map { (key, EntryRange(lower: $0, upper: range.upper), group.stretch.count, []) }
            if group.isComplete { left -= 1 }
            groups.append(group)
        }
        return groups.isEmpty ? nil : groups
    }

    /// Returns the rows of groups. An incomplete group has no row yet; it is continued by the next slice.
    package mutating func reduce(_ groups: [Group]) async throws -> [ReducedRow] {
        let reductions = try await plan.reducer.reduce(groups.map(\.stretch))
        var rows: [ReducedRow] = []
        for (group, reduction) in zip(groups, reductions) {
            if group.isComplete {
                rows.append(ReducedRow(key: group.key, value: try value(of: reduction)))
            } else {
                open?.reduction = reduction
            }
        }
        return rows
    }

    /// As in CouchDB, a result that does not shrink is an error of its row; other errors fail the query.
    private func value(of reduction: [UInt8]) throws -> Result<[UInt8], ViewError> {
        do {
            return .success(try plan.reducer.result(reduction))
        } catch let error as ViewError where error.code == .reduceOverflow {
            return .failure(error)
        }
    }

    /// Returns the key and the entries of the next group that is not skipped, or of the rest of the incomplete group;
    /// `nil` at the end.
    private mutating func nextGroup(_ tree: SpanTree) throws -> ([UInt8], EntryRange)? {
        if let open { return (open.key, open.rest) }
        while left > 0, let range = ranges.last {
            guard let first = try tree.rows(range, descending: plan.query.descending, countMax: 1).first else {
                ranges.removeLast()
                continue
            }
            let (key, group) = plan.group(of: first)
            let own = group.intersection(range)
            let position = ranges.count - 1
            if plan.query.descending { ranges[position].upper = own.lower } else { ranges[position].lower = own.upper }
            if skip == 0 { return (key, own) }
            skip -= 1
        }
        return nil
    }
}

extension ViewPlan {
    /// Returns the key of a row's group, as JSON, and the entries of the group.
    fileprivate func group(of row: StoredRow) -> ([UInt8], EntryRange) {
        guard query.grouping != .none, let tape = try? JSONTape(scanning: row.key) else {
            return (Array("null".utf8), whole)
        }
        var bytes = prefix
        if case .level(let count) = query.grouping, tape.kind(0) == .array, tape.count(of: 0) > count {
            bytes.append(collation.arrayTag)
            var key: [UInt8] = [UInt8(ascii: "[")]
            for (position, element) in tape.elements(of: 0).enumerated().prefix(count) {
                if position > 0 { key.append(UInt8(ascii: ",")) }
                key += tape.slice(element)
                collation.append(tape, at: element, to: &bytes)
            }
            return (key + [UInt8(ascii: "]")], EntryRange(prefix: bytes))
        }
        if case .level(let count) = query.grouping, tape.kind(0) == .array {
            // An array that is not longer than the level is a prefix of the longer arrays of its group.
            bytes.append(collation.arrayTag)
            for element in tape.elements(of: 0) { collation.append(tape, at: element, to: &bytes) }
            if tape.count(of: 0) < count { bytes.append(0x00) }
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
