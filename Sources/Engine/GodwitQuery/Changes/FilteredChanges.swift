//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitStore

/// The changes of a database that pass a filter, read in slices.
///
/// No transaction is open between two slices. If the filter is a list of ids, or a selector for which an index can be
/// used, candidates are first found by the ids or in the index. The first slices contain only these candidates. After
/// the candidates, the reader tests all changes that were made since the candidates were found.
///
/// ```swift
/// var changes = try FilteredChanges(of: datastore, .selector(selector), allLeaves: false, after: last)
/// while !changes.isAtEnd {
///     for row in try await changes.next(rowsMax: 100) where !row.leaves.isEmpty { … }
/// }
/// ```
package struct FilteredChanges {
    /// The order of the changes.
    package enum Order: Sendable { case ascending, descending }

    private let datastore: Datastore
    private let filter: FeedFilter
    private let allLeaves: Bool
    private let detail: RowDetail
    private let order: Order
    /// The newest sequence when the reader was created. At the end of an ascending feed, ``last`` is at least this
    /// sequence, even if the newest sequences have no rows because their documents were purged.
    private let newestSequence: Int64
    private var candidates: ChangeCandidates?
    /// Rows that were read and not yet tested.
    private var untested: ArraySlice<DocumentRow> = []
    private var hasMore = true

    /// The position of the feed: the sequence of the last row that was returned. After the last candidate, and at the
    /// end of an ascending feed, the position can be greater than this sequence. It is then the newest sequence whose
    /// change was examined.
    package private(set) var last: Int64

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - allLeaves: Whether a row has all leaves of its document, or only the winner.
    ///   - detail: The part of a row that the caller reads.
    ///   - sequence: The sequence after which the changes begin; ignored in descending order.
    package init(
        of datastore: Datastore, _ filter: FeedFilter, allLeaves: Bool, detail: RowDetail = .leaves,
        after sequence: Int64, order: Order = .ascending
    ) throws(StoreError) {
        (self.datastore, self.filter, self.allLeaves, self.order) = (datastore, filter, allLeaves, order)
        self.detail = detail == .bodies ? detail : filter.detail
        newestSequence = datastore.updateSequence.number
        last = order == .ascending ? sequence : newestSequence + 1
        guard order == .ascending else { return }
        switch filter {
        case .selector(let selector):
            // Indexes contain the winners only, but another leaf can match.
            if allLeaves, try datastore.read({ try $0.hasLosingLeaves() }) { break }
            candidates = try datastore.changeCandidates(for: selector, after: sequence)
        case .ids(let ids): candidates = try datastore.changeCandidates(for: ids, after: sequence)
        case .everything, .designs, .closure, .function: break
        }
    }

    /// Whether all changes were returned.
    package var isAtEnd: Bool { !hasMore && untested.isEmpty }

    /// The number of candidates that were not yet returned. The value is `nil` if the feed does not use candidates, or
    /// if all candidates were returned.
    package var candidatesLeft: Int? { candidates.map { $0.sequences.count + untested.count } }

    /// Reads and tests the next slice.
    ///
    /// - Parameters:
    ///   - rowsMax: The number of changes that the caller needs. With a filter, the result may have more rows, because
    ///     rows that do not pass are also returned.
    ///   - bytesMax: The size at which the slice ends; `nil` for the datastore's limit.
    /// - Returns: The tested rows in order, each with the leaves that pass the filter. A row that does not pass has no
    ///   leaves.
    /// - Throws: ``StoreError``, `CancellationError`, or the error of a function of a design document.
    package mutating func next(rowsMax: Int, bytesMax: Int? = nil) async throws -> [FilteredRow] {
        if !filter.includesAll {
            // A caller reads the next slice at once if no row of a slice passes. The task yields here, so that such a
            // caller does not block other tasks.
            await Task.yield()
            try Task.checkCancellation()
        }
        let bytesMax = bytesMax ?? datastore.limits.sliceBytesMax
        if case .function(let function) = filter {
            let slice = try datastore.read {
                try FilterSlice(readRows(rowsMax, bytesMax, $0), allLeaves: allLeaves, from: $0)
            }
            return finishSlice(try await function.filtered(slice))
        }
        if untested.isEmpty { untested = try datastore.read { try readRows(rowsMax, bytesMax, $0) }[...] }
        let meter = filter.readsRevisions ? WorkMeter() : nil
        var tested: [FilteredRow] = []
        while meter?.isSliceOver != true, let row = untested.popFirst() {
            tested.append(FilteredRow(row: row, leaves: try passingLeaves(of: row, meter)))
        }
        try meter.check()
        return finishSlice(tested)
    }

    /// Returns the leaves that the feed lists and that pass the filter. A leaf whose body is not stored does not pass a
    /// filter that reads revisions: it was removed after the row was read, so a later change lists the document again.
    private func passingLeaves(of row: DocumentRow, _ meter: WorkMeter?) throws -> [RevisionTree.Leaf] {
        guard filter.includes(id: row.id) else { return [] }
        guard filter.readsRevisions else { return allLeaves ? row.leaves : [row.winner] }
        var leaves: [RevisionTree.Leaf] = []
        if try filter.includes(StoredRevision(winnerOf: row), meter) { leaves.append(row.winner) }
        guard allLeaves, !row.otherLeaves.isEmpty else { return leaves }
        return try datastore.read { table in
            try leaves
                + row.otherLeaves.filter { leaf in
                    guard let revision = try table.revision(leaf.revision, of: row) else { return false }
                    return try filter.includes(revision, meter)
                }
        }
    }

    /// Updates the state after a slice, and returns the rows of the slice.
    private mutating func finishSlice(_ rows: [FilteredRow]) -> [FilteredRow] {
        if let row = rows.last?.row { last = row.sequence }
        if let current = candidates, current.sequences.isEmpty, untested.isEmpty {
            last = max(last, current.last)
            candidates = nil
            hasMore = datastore.updateSequence.number > last
        }
        if order == .ascending, isAtEnd { last = max(last, newestSequence) }
        return rows
    }

    private mutating func readRows(_ rowsMax: Int, _ bytesMax: Int, _ table: DocumentTable) throws -> [DocumentRow] {
        let sliceMax = datastore.limits.sliceRowsMax
        let usableCount = max(1, min(sliceMax, rowsMax))
        if var current = candidates {
            defer { candidates = current }
            return try table.rows(at: &current.sequences, rowsMax: usableCount, bytesMax: bytesMax)
        }
        let count = filter.includesAll ? usableCount : sliceMax
        let slice =
            switch order {
            case .ascending:
                try table.changes(after: last, detail: detail, rowsMax: count, bytesMax: bytesMax)
            case .descending:
                try table.changes(before: last, detail: detail, rowsMax: count, bytesMax: bytesMax)
            }
        hasMore = slice.hasMore
        return slice.rows
    }
}
