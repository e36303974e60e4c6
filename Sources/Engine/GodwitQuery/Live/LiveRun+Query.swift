//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSelector
import GodwitStore
import GodwitText

extension LiveRun {
    /// The first results in order. Results whose position is uncertain are omitted.
    private struct FirstResults {
        var list: [(position: LivePosition, state: LiveState, document: FoundDocument)] = []
        /// Whether the query returned all results, so that an unread result does not exist.
        var isComplete = false
    }

    /// Runs the query and replaces the results. Throws ``QueryError`` when there are too many results, or too many
    /// results with equal sort keys. Rethrows errors of ``QueryRun``.
    mutating func runQuery() async throws {
        let hasLimit = rows.capacity != nil
        var rowsWanted = hasLimit && matcher.usesText ? rows.shownMax : (rows.capacity ?? rowsMax) + 1
        while true {
            let state = try datastore.read { try $0.state() }
            (sequence, purges) = (state.sequence, state.purges)
            let first = try await firstResults(upTo: rowsWanted, at: state.sequence)
            if first.isComplete || hasLimit && first.list.count >= rows.shownMax { return applyResults(first) }
            guard rowsWanted <= rowsMax else {
                throw hasLimit ? QueryError.tooManyEqualRows(rowsMax) : QueryError.tooManyLiveRows(rowsMax)
            }
            // Too many results had equal sort keys or changed while the query ran, so more results are requested.
            rowsWanted = min(rowsWanted * 2, rowsMax + 1)
        }
    }

    private mutating func applyResults(_ first: FirstResults) {
        let end = first.isComplete || matcher.usesText ? nil : first.list.last?.position
        rows.replace(first.list.map { ($0.position, $0.state) }, end: end)
        for result in first.list { keep(result.document, of: result.position.id) }
    }

    private func firstResults(upTo rowsWanted: Int, at sequence: Int64) async throws -> FirstResults {
        var completeQuery = query
        (completeQuery.fields, completeQuery.skip, completeQuery.limit) = (nil, 0, rowsWanted)
        // Without a limit, all results are sorted here, so the query needs no order. With a limit, the query must find
        // the results with the first ids.
        if rows.capacity == nil, !asCouchDB { completeQuery.sort = [] }
        if rows.capacity != nil, completeQuery.sort.isEmpty, !isRanked, !matcher.isByDistance {
            completeQuery.sort = ["_id"]
        }
        let queryRun = try await QueryRun(
            PreparedQuery(completeQuery, asCouchDB: asCouchDB && !query.sort.isEmpty), in: datastore)
        var first = FirstResults()
        var (count, seen): (Int, Set<ExactText>) = (0, [])
        while case let slice = try await queryRun.next(), !slice.isEmpty {
            let meter = WorkMeter()
            for document in slice {
                count += 1
                // A document that changed while the query ran is omitted here, because the changes feed will deliver
                // it.
                guard let row = document.row, matcher.usesText || row.sequence <= sequence,
                    let finding = try matcher.finding(of: row, isFound: true, meter: meter),
                    seen.insert(ExactText(row.id)).inserted
                else { continue }
                let state = isRanked ? finding.state.ranked(count) : finding.state
                first.list.append((LivePosition(key: state.key, id: row.id), state, finding.document))
            }
        }
        first.isComplete = count < rowsWanted
        first.list.sort { $0.position < $1.position }
        // The query may have stopped within a group of results with equal sort keys. Results of this group that were
        // not read may have lower ids. Therefore, the complete group is removed.
        if !first.isComplete, !matcher.usesText, !query.sort.isEmpty || matcher.isByDistance,
            let last = first.list.last?.position.key
        {
            first.list.removeAll { $0.position.key == last }
        }
        return first
    }

    /// Whether the documents are ordered by the ranking of a text search, the best match first.
    private var isRanked: Bool { matcher.usesText && query.sort.isEmpty }
}

extension LiveState {
    /// Returns the state with its rank in the results as the sort key.
    fileprivate func ranked(_ rank: Int) -> LiveState {
        LiveState(key: withUnsafeBytes(of: UInt32(rank).bigEndian) { Array($0) }, version: version)
    }
}
