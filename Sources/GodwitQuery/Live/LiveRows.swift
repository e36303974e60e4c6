//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A live query knows its results by their places and versions alone. A change is compared with what is known of its
// document, which a dictionary finds, so one that concerns no result costs nothing more; one that does costs a binary search
// and a pass over the places.
//
// Of a query with a limit only the beginning is held, with some in reserve, up to a place `end`: all results up to there are
// known, of those behind it nothing. When more have left than were in reserve, the query must be run again. Where all
// results are held there is no end, and the query is never run again.

/// The results of a live query and what of them was told: a machine without input or output. Documents' new states go in,
/// differences come out.
struct LiveRows: Sendable {
    let skip: Int
    let limit: Int
    /// How many are held at most; `nil` for all that there are.
    let capacity: Int?

    /// The first results in order.
    private(set) var held: [LivePosition] = []
    /// The last place up to which all results are held; `nil` when there are no others.
    private(set) var end: LivePosition?
    private var states: [ByteOrderedText: LiveState] = [:]

    /// The results as they were told last; `nil` before the first time.
    private(set) var told: [LivePosition]?
    /// The states, when they were told last, of documents that were held then or are now and have changed since.
    private(set) var touched: [ByteOrderedText: LiveState?] = [:]

    /// - Parameter reserve: How many results are held beyond those that are shown.
    init(skip: Int, limit: Int, reserve: Int, rowsMax: Int) {
        (self.skip, self.limit) = (skip, limit)
        let (shown, overflows) = skip.addingReportingOverflow(limit)
        capacity = overflows || shown > rowsMax ? nil : min(shown + reserve, rowsMax)
    }

    /// How many results must be held so that the shown ones are known; 0 where all are.
    var shownMax: Int { capacity == nil ? 0 : skip + limit }

    /// Whether results that belong to the shown ones may be unknown.
    var mustQuery: Bool { end != nil && held.count < shownMax }

    /// The results that are shown.
    var shown: ArraySlice<LivePosition> { held.dropFirst(skip).prefix(limit) }

    func state(of id: String) -> LiveState? { states[ByteOrderedText(text: id)] }

    // MARK: What comes in

    /// Takes in documents' states, each document once. What is known already changes nothing.
    mutating func apply(_ events: [LiveEvent]) {
        var (gone, come): ([LivePosition], [LivePosition]) = ([], [])
        for event in events {
            let id = ByteOrderedText(text: event.id)
            let old = states[id]
            let new = event.state.flatMap { isKnown(LivePosition(key: $0.key, id: event.id)) ? $0 : nil }
            guard old != new else { continue }
            touch(id, old)
            states[id] = new
            guard old?.key != new?.key else { continue }
            if let old { gone.append(LivePosition(key: old.key, id: event.id)) }
            if let new { come.append(LivePosition(key: new.key, id: event.id)) }
        }
        guard !gone.isEmpty || !come.isEmpty else { return }
        held = held.removing(gone.map { held.count(before: $0) }.sorted())
        come.sort()
        held = held.inserting(come.enumerated().map { (held.count(before: $1) + $0, $1) })
        dropSurplus()
    }

    /// Takes in what the query found.
    ///
    /// - Parameters:
    ///   - found: The first results with their states, each document once.
    ///   - end: The place up to which they are all; `nil` when there are no others.
    mutating func replace(_ found: [(position: LivePosition, state: LiveState)], end: LivePosition?) {
        var before = states
        states = [:]
        states.reserveCapacity(found.count)
        for (position, state) in found {
            let id = ByteOrderedText(text: position.id)
            states[id] = state
            let old = before.removeValue(forKey: id)
            if told != nil, old != state { touch(id, old) }
        }
        for (id, old) in before { touch(id, old) }
        held = found.map(\.position).sorted()
        self.end = end
        dropSurplus()
    }

    private func isKnown(_ position: LivePosition) -> Bool { end.map { position <= $0 } ?? true }

    /// Remembers the state that was told.
    private mutating func touch(_ id: ByteOrderedText, _ old: LiveState?) {
        if touched[id] == nil { touched[id] = .some(old) }
    }

    private mutating func dropSurplus() {
        guard let capacity, held.count > capacity else { return }
        for position in held[capacity...] {
            let id = ByteOrderedText(text: position.id)
            touch(id, states.removeValue(forKey: id))
        }
        held.removeLast(held.count - capacity)
        end = held.last
    }

    // MARK: What goes out

    /// Tells what has changed since this was called last; the first time everything entered.
    mutating func tell() -> QueryDifferences {
        let differences: QueryDifferences
        if let told {
            guard !touched.isEmpty else { return QueryDifferences() }
            differences = QueryDifferences(from: told, to: shown, touched: touched) { states[$0] }
        } else {
            var all = QueryDifferences()
            all.entered = Array(0..<shown.count)
            differences = all
        }
        touched = [:]
        told = shown.count == held.count ? held : Array(shown)
        return differences
    }
}
