//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSelector
import GodwitStore
import GodwitText
import GodwitThreads

extension LiveRun {
    /// The first results in order, as many as are sure.
    private struct FirstResults {
        var list: [(position: LivePosition, state: LiveState, document: FoundDocument)] = []
        /// Whether there are no others.
        var isComplete = false
    }

    /// Runs the query anew.
    mutating func runQuery() async throws {
        let hasLimit = rows.capacity != nil
        var rowsWanted = hasLimit && matcher.usesText ? rows.shownMax : (rows.capacity ?? rowsMax) + 1
        while true {
            let start = try datastore.read { try $0.state() }
            (sequence, purges) = (start.sequence, start.purges)
            let first = try await firstResults(upTo: rowsWanted, at: start.sequence)
            if first.isComplete || hasLimit && first.list.count >= rows.shownMax { return take(first) }
            guard rowsWanted <= rowsMax else {
                throw hasLimit ? QueryError.tooManyEqualRows(rowsMax) : QueryError.tooManyLiveRows(rowsMax)
            }
            // Too many of them were equal in the order, or changed meanwhile.
            rowsWanted = min(rowsWanted * 2, rowsMax + 1)
        }
    }

    private mutating func take(_ first: FirstResults) {
        let end = first.isComplete || matcher.usesText ? nil : first.list.last?.position
        rows.replace(first.list.map { ($0.position, $0.state) }, end: end)
        for result in first.list { keep(result.document, of: result.position.id) }
    }

    private func firstResults(upTo rowsWanted: Int, at sequence: Int64) async throws -> FirstResults {
        var plain = query
        (plain.fields, plain.skip, plain.limit) = (nil, 0, rowsWanted)
        // The first ones by their ids must be those; all of them are sorted here.
        if rows.capacity == nil, !asCouchDB { plain.sort = [] }
        if rows.capacity != nil, plain.sort.isEmpty, !hasOwnOrder, !matcher.isByDistance { plain.sort = ["_id"] }
        let run = try await QueryRun(PreparedQuery(plain, asCouchDB: asCouchDB && !query.sort.isEmpty), in: datastore)
        var first = FirstResults()
        var (count, seen): (Int, Set<ByteOrderedText>) = (0, [])
        while case let slice = try await run.next(), !slice.isEmpty {
            let meter = WorkMeter()
            for document in slice {
                count += 1
                // One that has changed meanwhile comes by the feed.
                guard let row = document.row, matcher.usesText || row.sequence <= sequence,
                    let finding = try matcher.finding(of: row, isFound: true, meter: meter),
                    seen.insert(ByteOrderedText(text: row.id)).inserted
                else { continue }
                let state = hasOwnOrder ? finding.state.ordered(as: count) : finding.state
                first.list.append((LivePosition(key: state.key, id: row.id), state, finding.document))
            }
        }
        first.isComplete = count < rowsWanted
        first.list.sort { $0.position < $1.position }
        // Where an index ends among equals, others of them may be first by their ids.
        if !first.isComplete, !matcher.usesText, !query.sort.isEmpty || matcher.isByDistance,
            let last = first.list.last?.position.key
        {
            first.list.removeAll { $0.position.key == last }
        }
        return first
    }

    /// Whether the documents are in the order in which the query finds them, the best match first.
    private var hasOwnOrder: Bool { matcher.usesText && query.sort.isEmpty }
}

extension LiveState {
    /// The state of the result that is found as one of so many.
    fileprivate func ordered(as number: Int) -> LiveState {
        LiveState(key: withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }, version: version)
    }
}
