//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
package import GodwitStore
package import GodwitText
import GodwitThreads

// The query is run once. What changes from then on is read from the changes feed at the consumer's pace and held against
// the selector, document by document; nothing is queued for a live query, and one that is not asked costs nothing.
//
// There is no gap between the two: the place in the feed is read before the query runs. A document that has changed since
// is left out of what the query found, because the feed brings it, as it is then. So what is known is always true of one
// state of the database, the one that the last slice of the feed was read from, and documents that come over the edge of a
// limit are read in the same transaction. The feed has no row for a document that was purged; the count of purges, read
// in that transaction too, tells that there were some, and the file remembers of which documents.

/// One live query under way.
package struct LiveRun: Sendable {
    /// The query's results after some changes.
    package struct Step: Sendable {
        /// How they differ from those of the step before.
        package let differences: QueryDifferences
        /// The ids of those that left, in the order of ``QueryDifferences/left``.
        package let leftIDs: [String]
        /// The documents at ``QueryDifferences/written``, as they were in one state of the database; empty where they
        /// are not wanted.
        package let documents: [Int: FoundDocument]
    }

    package let datastore: Datastore
    /// All changes up to here are in.
    package internal(set) var sequence: Int64 = 0
    /// All purges up to here are in.
    var purges: Int64 = 0
    var rows: LiveRows
    let matcher: LiveMatcher
    let query: FindQuery
    let asCouchDB: Bool
    let rowsMax: Int
    /// Documents that came in since the last step; `nil` where they are not wanted.
    private var incoming: [ByteOrderedText: FoundDocument]?
    /// Whether the query must be run.
    private var mustQuery = true

    /// - Parameters:
    ///   - asCouchDB: Whether a sort needs an index, and finds only documents that have its fields.
    ///   - withDocuments: Whether steps bring documents. Otherwise they are read when they are wanted (``found(at:in:)``),
    ///     so that nothing is held of them.
    /// - Throws: ``QueryError`` or ``SelectorError`` for a query that cannot be.
    package init(
        _ query: FindQuery, in datastore: Datastore, asCouchDB: Bool = false, withDocuments: Bool,
        rowsMax: Int = QueryLimits.liveRowsMax, reserve: Int? = nil
    ) throws {
        guard query.bookmark == nil else { throw QueryError.liveBookmark }
        self.datastore = datastore
        self.query = query
        self.asCouchDB = asCouchDB
        self.rowsMax = rowsMax
        matcher = LiveMatcher(try PreparedQuery(query, asCouchDB: asCouchDB))
        rows = LiveRows(
            skip: query.skip, limit: query.limit, reserve: reserve ?? QueryLimits.liveReserve, rowsMax: rowsMax)
        incoming = withDocuments ? [:] : nil
    }

    /// How many results there are.
    package var count: Int { rows.told?.count ?? 0 }

    /// The id of a result.
    package func id(at position: Int) -> String { rows.told?[position].id ?? "" }

    /// Takes in all that has changed; it waits for nothing.
    ///
    /// - Returns: `nil` when the results are the same.
    package mutating func step() async throws -> Step? {
        while true {
            if mustQuery {
                mustQuery = false
                try await runQuery()
                // Documents that changed meanwhile were found as they are, and lead to the next step.
                if matcher.usesText { return try datastore.read { try tell($0) } }
            }
            var (isAtEnd, step): (Bool, Step?) = (false, nil)
            try datastore.readTogether { table in
                isAtEnd = try follow(table) && !mustQuery
                if isAtEnd { step = try tell(table) }
            }
            guard rows.capacity != nil || rows.held.count <= rowsMax else { throw QueryError.tooManyLiveRows(rowsMax) }
            if isAtEnd { return step }
            await Task.yield()
            try Task.checkCancellation()
        }
    }

    // MARK: The changes

    /// Takes in the next slice of changes.
    ///
    /// - Returns: Whether there are no more.
    private mutating func follow(_ table: DocumentTable) throws -> Bool {
        let state = try table.state()
        let limits = datastore.limits
        let slice = try table.changes(
            after: sequence, detail: .bodies, rowsMax: limits.sliceRowsMax, bytesMax: limits.sliceBytesMax)
        let meter = WorkMeter()
        var findings: [(id: String, finding: LiveMatcher.Finding?)] = []
        for row in slice.rows where meter?.isSliceOver != true {
            findings.append((row.id, try matcher.finding(of: row, meter: meter)))
        }
        take(findings)
        let hasMore = slice.hasMore || findings.count < slice.rows.count
        // Numbers without a row are those of purges.
        sequence = hasMore && !findings.isEmpty ? slice.rows[findings.count - 1].sequence : state.sequence
        guard !hasMore else { return false }
        if state.purges > purges { try followPurges(upTo: state.purges, table) }
        return true
    }

    private mutating func followPurges(upTo last: Int64, _ table: DocumentTable) throws {
        guard let ids = try table.purgedIDs(after: purges, upTo: last) else {
            mustQuery = true
            return
        }
        purges = last
        let meter = WorkMeter()
        let held = Set(ids.map(ByteOrderedText.init)).filter { rows.state(of: $0.text) != nil }
        take(
            try held.map { id in
                (id.text, try table.row(id: id.text).flatMap { try matcher.finding(of: $0, meter: meter) })
            })
    }

    private mutating func take(_ changes: [(id: String, finding: LiveMatcher.Finding?)]) {
        if matcher.usesText {
            if changes.contains(where: { $0.finding != nil || rows.state(of: $0.id) != nil }) { mustQuery = true }
            return
        }
        rows.apply(changes.map { LiveEvent(id: $0.id, state: $0.finding?.state) })
        for (id, finding) in changes { keep(finding?.document, of: id) }
        dropIncoming()
        if rows.mustQuery { mustQuery = true }
    }

    /// Keeps a document for the next step if it is held.
    mutating func keep(_ document: FoundDocument?, of id: String) {
        guard incoming != nil else { return }
        incoming?[ByteOrderedText(text: id)] = rows.state(of: id) == nil ? nil : document
    }

    /// Lets go of documents that came in and are no longer held, before they are many.
    private mutating func dropIncoming() {
        guard let capacity = rows.capacity, let incoming, incoming.count > 2 * capacity else { return }
        self.incoming = incoming.filter { rows.state(of: $0.key.text) != nil }
    }

    // MARK: What is told

    private mutating func tell(_ table: DocumentTable) throws -> Step? {
        let earlier = rows.told
        let differences = rows.tell()
        let incoming = incoming
        if incoming != nil { self.incoming = [:] }
        guard earlier == nil || !differences.isEmpty else { return nil }
        var documents: [Int: FoundDocument] = [:]
        if let incoming {
            for position in differences.written {
                let id = id(at: position)
                documents[position] = try incoming[ByteOrderedText(text: id)] ?? found(id, in: table)
            }
        }
        return Step(
            differences: differences, leftIDs: differences.left.map { earlier?[$0].id ?? "" }, documents: documents)
    }

    /// A document as it is now; `nil` when it is gone.
    package func found(_ id: String, in table: DocumentTable) throws -> FoundDocument? {
        try table.row(id: id).flatMap { try matcher.finding(of: $0, isFound: true, meter: nil)?.document }
    }
}
