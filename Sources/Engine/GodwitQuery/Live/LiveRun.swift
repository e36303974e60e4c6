//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
package import GodwitStore
package import GodwitText

// The query runs once. Later changes are read from the changes feed at the consumer's pace, and each changed document
// is tested against the selector. Nothing is queued for a live query, so it costs nothing while its consumer does not
// read.
//
// No change is missed between the query and the feed, because the feed's position is read before the query runs. A
// document that has changed since then is omitted from the query's results, because the feed delivers its new state.
// The known results therefore always represent one state of the database: the state at the feed's last slice. Documents
// that enter the window of a limit are read in the same transaction. The feed has no row for a purged document. But the
// number of purges, which is read in the same transaction, shows that purges occurred, and the file stores the ids of
// the last purged documents.

/// The execution of one live query.
package struct LiveRun: Sendable {
    /// The results of the query after some changes.
    package struct Step: Sendable {
        /// The differences from the results of the previous step.
        package let differences: QueryDifferences
        /// The ids of the documents that left, in the order of ``QueryDifferences/left``.
        package let leftIDs: [String]
        /// The documents at ``QueryDifferences/written``, read in one state of the database; empty if documents are not
        /// requested.
        package let documents: [Int: FoundDocument]
    }

    /// The database that the query reads.
    package let datastore: Datastore
    /// The last sequence whose changes have been processed.
    package internal(set) var sequence: Int64 = 0
    /// The number of purges that have been processed.
    var purges: Int64 = 0
    var rows: LiveRows
    let matcher: LiveMatcher
    let query: FindQuery
    let asCouchDB: Bool
    let rowsMax: Int
    /// The documents that were read since the last step; `nil` if documents are not requested.
    private var incoming: [ExactText: FoundDocument]?
    /// Whether the query must run.
    private var mustQuery = true

    /// - Parameters:
    ///   - query: The query.
    ///   - datastore: The database.
    ///   - asCouchDB: Whether a sort requires an index and finds only documents that have the fields of the sort.
    ///   - withDocuments: Whether steps contain documents. If `false`, no document is held, and the caller reads
    ///     documents on demand (``found(at:in:)``).
    ///   - rowsMax: The maximum number of results.
    ///   - reserve: The number of results to hold in addition to the limit of the query.
    /// - Throws: ``QueryError``, ``SelectorError`` or the error of a text query for an invalid query, or a query with a
    ///   bookmark.
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

    /// The number of results that the last step reported; 0 before the first step.
    package var count: Int { rows.reported?.count ?? 0 }

    /// Returns the id of the result at a position; empty before the first step.
    package func id(at position: Int) -> String { rows.reported?[position].id ?? "" }

    /// Processes all changes up to now, without waiting for further changes.
    ///
    /// - Returns: The step; `nil` when the results are unchanged. The first call always returns a step.
    /// - Throws: ``QueryError`` when there are too many results; `CancellationError`; the errors of ``QueryRun`` and of
    ///   reading the database.
    package mutating func step() async throws -> Step? {
        while true {
            do {
                return try await stepWhileActive()
            } catch {
                guard (error as? StoreError)?.code == .suspended else { throw error }
                try await datastore.waitUntilActive()
            }
        }
    }

    private mutating func stepWhileActive() async throws -> Step? {
        while true {
            if mustQuery {
                try await runQuery()
                mustQuery = false
                // If a document changed while the query ran, the query found its new state. The feed also reports this
                // change, which causes the next step.
                if matcher.usesText { return try datastore.read { try takeDifferences($0) } }
            }
            var (isAtEnd, step): (Bool, Step?) = (false, nil)
            try datastore.readTogether { table in
                isAtEnd = try followChanges(table) && !mustQuery
                if isAtEnd { step = try takeDifferences(table) }
            }
            guard rows.capacity != nil || rows.held.count <= rowsMax else { throw QueryError.tooManyLiveRows(rowsMax) }
            if isAtEnd { return step }
            await Task.yield()
            try Task.checkCancellation()
        }
    }

    // MARK: The changes

    /// Processes the next slice of changes.
    ///
    /// - Returns: Whether no more changes follow.
    private mutating func followChanges(_ table: DocumentTable) throws -> Bool {
        let state = try table.state()
        let limits = datastore.limits
        let slice = try table.changes(
            after: sequence, detail: .bodies, rowsMax: limits.sliceRowsMax, bytesMax: limits.sliceBytesMax)
        let meter = WorkMeter()
        var findings: [(id: String, finding: LiveMatcher.Finding?)] = []
        for row in slice.rows where meter?.isSliceOver != true {
            findings.append((row.id, try matcher.finding(of: row, meter: meter)))
        }
        applyFindings(findings)
        let hasMore = slice.hasMore || findings.count < slice.rows.count
        // After the last row of the feed, ``sequence`` becomes the sequence of the last change, because the sequences
        // after this row belong to purges.
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
        let heldIDs = Set(ids.map(ExactText.init)).filter { rows.state(of: $0.text) != nil }
        applyFindings(
            try heldIDs.map { id in
                (id.text, try table.row(id: id.text).flatMap { try matcher.finding(of: $0, meter: meter) })
            })
    }

    private mutating func applyFindings(_ changes: [(id: String, finding: LiveMatcher.Finding?)]) {
        if matcher.usesText {
            if changes.contains(where: { $0.finding != nil || rows.state(of: $0.id) != nil }) { mustQuery = true }
            return
        }
        rows.apply(changes.map { LiveEvent(id: $0.id, state: $0.finding?.state) })
        for (id, finding) in changes { keep(finding?.document, of: id) }
        dropIncoming()
        if rows.mustQuery { mustQuery = true }
    }

    /// Stores a document for the next step if it is held.
    mutating func keep(_ document: FoundDocument?, of id: String) {
        guard incoming != nil else { return }
        incoming?[ExactText(id)] = rows.state(of: id) == nil ? nil : document
    }

    /// Removes documents that are no longer held, before too many accumulate.
    private mutating func dropIncoming() {
        guard let capacity = rows.capacity, let incoming, incoming.count > 2 * capacity else { return }
        self.incoming = incoming.filter { rows.state(of: $0.key.text) != nil }
    }

    // MARK: Events

    private mutating func takeDifferences(_ table: DocumentTable) throws -> Step? {
        let earlier = rows.reported
        let differences = rows.takeDifferences()
        let incoming = incoming
        if incoming != nil { self.incoming = [:] }
        guard earlier == nil || !differences.isEmpty else { return nil }
        var documents: [Int: FoundDocument] = [:]
        if let incoming {
            for position in differences.written {
                let id = id(at: position)
                documents[position] = try incoming[ExactText(id)] ?? found(id, in: table)
            }
        }
        return Step(
            differences: differences, leftIDs: differences.left.map { earlier?[$0].id ?? "" }, documents: documents)
    }

    /// Returns the current document; `nil` when it does not exist or is deleted.
    package func found(_ id: String, in table: DocumentTable) throws -> FoundDocument? {
        try table.row(id: id).flatMap { try matcher.finding(of: $0, isFound: true, meter: nil)?.document }
    }
}
