//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

// A live query stores only the positions and versions of its results. A changed document is compared with its known
// state, which is found in a dictionary. A change that concerns no result needs only this comparison. A change of a
// result also needs a binary search and a pass over the positions.
//
// A query with a limit holds only the first results and a reserve: the results up to the position `end`. Results after
// `end` are unknown. If more results leave than the reserve contains, the query must run again. While `end` is `nil`,
// all existing results are held, and the query need not run again. `end` is set when there are more results than the
// query may hold.

/// The results of a live query, and the results that were last reported. `LiveRows` is a state machine that does not
/// access the database: it receives the new states of documents and returns differences.
struct LiveRows: Sendable {
    let skip: Int
    let limit: Int
    /// The maximum number of results to hold; `nil` to hold all results.
    let capacity: Int?

    /// The first results in order.
    private(set) var held: [LivePosition] = []
    /// The position up to which all results are held; `nil` when all existing results are held.
    private(set) var end: LivePosition?
    private var states: [ExactText: LiveState] = [:]

    /// The results that were last reported; `nil` before the first report.
    private(set) var reported: [LivePosition]?
    /// The last reported states of documents that changed since the last report. Contains only documents that were held
    /// at the time of the report or at any time since then.
    private(set) var touched: [ExactText: LiveState?] = [:]

    /// - Parameter reserve: The number of results to hold in addition to the shown results.
    init(skip: Int, limit: Int, reserve: Int, rowsMax: Int) {
        (self.skip, self.limit) = (skip, limit)
        let (shown, overflows) = skip.addingReportingOverflow(limit)
        capacity = overflows || shown > rowsMax ? nil : min(shown + reserve, rowsMax)
    }

    /// The number of results that must be held so that all shown results are known; 0 if all results are held.
    var shownMax: Int { capacity == nil ? 0 : skip + limit }

    /// Whether some shown results may be unknown, so that the query must run again.
    var mustQuery: Bool { end != nil && held.count < shownMax }

    /// The results in the window of `skip` and `limit`.
    var shown: ArraySlice<LivePosition> { held.dropFirst(skip).prefix(limit) }

    func state(of id: String) -> LiveState? { states[ExactText(id)] }

    // MARK: Changes of documents

    /// Applies new states of documents. Each document may occur only once. A state that is already known changes
    /// nothing.
    mutating func apply(_ events: [LiveEvent]) {
        var (removed, added): ([LivePosition], [LivePosition]) = ([], [])
        for event in events {
            let id = ExactText(event.id)
            let oldState = states[id]
            let newState = event.state.flatMap { isInHeldRange(LivePosition(key: $0.key, id: event.id)) ? $0 : nil }
            guard oldState != newState else { continue }
            recordOldState(of: id, oldState)
            states[id] = newState
            guard oldState?.key != newState?.key else { continue }
            if let oldState { removed.append(LivePosition(key: oldState.key, id: event.id)) }
            if let newState { added.append(LivePosition(key: newState.key, id: event.id)) }
        }
        guard !removed.isEmpty || !added.isEmpty else { return }
        held = held.removing(removed.map { held.count(before: $0) }.sorted())
        added.sort()
        held = held.inserting(added.enumerated().map { (held.count(before: $1) + $0, $1) })
        dropSurplus()
    }

    /// Replaces the results after the query has run.
    ///
    /// - Parameters:
    ///   - results: The first results with their states, each document once.
    ///   - end: The position up to which `results` is complete; `nil` when no other results exist.
    mutating func replace(_ results: [(position: LivePosition, state: LiveState)], end: LivePosition?) {
        // The earlier states of results that the query did not find again.
        var missing = states
        states = [:]
        states.reserveCapacity(results.count)
        for (position, state) in results {
            let id = ExactText(position.id)
            states[id] = state
            let oldState = missing.removeValue(forKey: id)
            if reported != nil, oldState != state { recordOldState(of: id, oldState) }
        }
        for (id, oldState) in missing { recordOldState(of: id, oldState) }
        held = results.map(\.position).sorted()
        self.end = end
        dropSurplus()
    }

    /// Whether all results up to a position are held.
    private func isInHeldRange(_ position: LivePosition) -> Bool { end.map { position <= $0 } ?? true }

    /// Stores the state that a document had at the last report, if it is not stored yet.
    private mutating func recordOldState(of id: ExactText, _ oldState: LiveState?) {
        if touched[id] == nil { touched[id] = .some(oldState) }
    }

    private mutating func dropSurplus() {
        guard let capacity, held.count > capacity else { return }
        for position in held[capacity...] {
            let id = ExactText(position.id)
            recordOldState(of: id, states.removeValue(forKey: id))
        }
        held.removeLast(held.count - capacity)
        end = held.last
    }

    // MARK: Differences

    /// Returns the differences since the last call. On the first call, all shown results have entered.
    mutating func takeDifferences() -> QueryDifferences {
        let differences: QueryDifferences
        if let reported {
            guard !touched.isEmpty else { return QueryDifferences() }
            differences = QueryDifferences(from: reported, to: shown, touched: touched) { states[$0] }
        } else {
            var all = QueryDifferences()
            all.entered = Array(0..<shown.count)
            differences = all
        }
        touched = [:]
        reported = shown.count == held.count ? held : Array(shown)
        return differences
    }
}
