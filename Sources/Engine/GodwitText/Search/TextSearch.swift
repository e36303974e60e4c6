//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitSQLite
package import GodwitStore

/// The search of a query in a text index.
///
/// A later page may come from a new search of the same query, in a later transaction. Use a search only within one read
/// transaction of the connection, and only if the index is complete in this transaction:
///
/// ```swift
/// let search = try TextSearch(query, in: index, definition, on: connection)
/// let page = try search.page(limit: 25)
/// let next = try search.page(after: page.position(after: page.hits.last!), limit: 25)
/// ```
///
/// Hits are ordered by relevance (BM25). Hits with equal scores are ordered by the creation of their documents.
///
/// The database can change between the reads of two pages:
///
/// - A document that existed when the first page was read, and that matches each time a page is read, is returned
///   exactly once. The third point describes the only exception.
/// - A document that was created after the first page was read is not returned.
/// - A document that was edited after the first page was read keeps its rank (see the history in ``TextTables``). If
///   its earlier text is not stored (``TextLimits/historyMax``, ``TextLimits/historyBytesMax``), the document is
///   returned at most once.
package struct TextSearch {
    let tables: TextTables
    let columns: TextColumns
    let definition: TextIndexDefinition
    let query: TextQuery
    let expression: TextExpression
    let lexer: TextLexer
    private let index: IndexDescription
    private let collector: TextCollector

    /// Prepares a search.
    ///
    /// - Throws: ``TextError`` when the index cannot answer the query.
    package init(
        _ query: TextQuery, in index: IndexDescription, _ definition: TextIndexDefinition,
        on connection: SQLiteConnection
    ) throws {
        self.query = query
        self.definition = definition
        tables = TextTables(index: index.number, on: connection)
        columns = try tables.columns(definition)
        lexer = try TextLexer(definition, on: connection)
        self.index = index
        let columns = columns
        let boosts = definition.isOfFunctions ? columns.boosts(try FieldTables(tables).boosts()) : []
        collector = try TextCollector(on: connection, table: tables.name, boosts: boosts)
        let builder = TextExpressionBuilder(
            lexer: lexer,
            defaultFilter: definition.hasDefaultField ? "" : nil,
            position: { TextExpressionBuilder.FieldScope(columns.position(of: $0)) }, mark: { _, _ in nil })
        expression = try builder.expression(query)
    }

    var connection: SQLiteConnection { tables.connection }

    /// Returns the hits after a position.
    ///
    /// - Parameters:
    ///   - position: The position at the end of an earlier page of the same search; `nil` for the best hits.
    ///   - limit: The maximum number of hits, at most ``TextLimits/pageHitsMax``. A page with fewer hits is the last.
    ///   - among: The numbers of the documents to search, ascending; `nil` for all documents. This list is used only to
    ///     reduce the work. The page may also contain documents that are not in the list.
    package func page(after position: TextPosition? = nil, limit: Int, among: [Int64]? = nil) throws -> TextPage {
        let limit = max(0, min(limit, TextLimits.pageHitsMax))
        guard expression.needsCheck else { return try candidates(after: position, limit: limit, among: among) }
        var (checkedHits, lastPosition, requestCount): ([TextHit], TextPosition?, Int) = ([], position, limit * 2)
        while true {
            let page = try candidates(after: lastPosition, limit: requestCount, among: among)
            checkedHits += try check(page.hits)
            if checkedHits.count >= limit || page.hits.count < requestCount {
                return TextPage(
                    hits: Array(checkedHits.prefix(limit)), total: nil, sequence: page.sequence,
                    statistics: page.statistics)
            }
            lastPosition = page.position(after: page.hits.last!)
            requestCount *= 2
        }
    }

    /// Returns the number of documents that match.
    package func count() throws -> Int {
        guard let text = expression.text else { return 0 }
        if expression.needsCheck { return try allRows().count }
        let statement = try connection.statement(
            composed: "SELECT count(*) FROM \(tables.name) WHERE \(tables.name) MATCH ?1")
        defer { statement.reset() }
        statement.bind(text, at: 1)
        return try statement.step() ? statement.int(0) : 0
    }

    /// Whether a document matches.
    package func matches(number: Int64) throws -> Bool {
        guard let text = expression.text, let entry = try tables.entry(number) else { return false }
        let statement = try connection.statement(
            composed: "SELECT 1 FROM \(tables.name) WHERE \(tables.name) MATCH ?1 AND rowid = ?2")
        statement.bind(text, at: 1)
        statement.bind(entry.row.rawValue, at: 2)
        let isCandidate = try statement.step()
        statement.reset()
        guard isCandidate, expression.needsCheck else { return isCandidate }
        return try !check([TextHit(entry, score: 0)]).isEmpty
    }

    // MARK: Candidates

    private func candidates(after position: TextPosition?, limit: Int, among: [Int64]?) throws -> TextPage {
        if expression.isEverything { return try everything(after: position, limit: limit, among: among) }
        let sequence = try position?.sequence ?? lastSequence()
        let changedRows = try position.map { try tables.rows(changedAfter: $0.sequence) } ?? []
        let collected = try collector.collect(
            expression, limit: limit, after: position.map { ($0.score, .last(of: $0.number)) },
            statistics: position?.statistics, passingOver: changedRows, among: among)
        var hits = try collected.best.compactMap { row, score in try hit(row, score) }
        if let position {
            let lastHit = TextHit(number: position.number, sequence: 0, storedID: "", score: position.score)
            hits += try edited(collected.passed, since: position).filter { lastHit.precedes($0) }
            hits.sort { $0.precedes($1) }
        }
        return TextPage(
            hits: Array(hits.prefix(limit)), total: collected.hits, sequence: sequence, statistics: collected.statistics
        )
    }

    /// Returns the documents of the index by their numbers. All have the same score, and edits do not change their
    /// order.
    private func everything(after position: TextPosition?, limit: Int, among: [Int64]?) throws -> TextPage {
        // A document's number is the sequence of its creation.
        let sequence = try position?.sequence ?? lastSequence()
        let numbers = (position?.number ?? 0, sequence)
        let hits =
            try among.map { try self.hits($0, after: numbers.0, to: numbers.1, limit: limit) }
            ?? self.hits(after: numbers.0, to: numbers.1, limit: limit)
        let statistics = TextStatistics(frequencies: [0])
        return TextPage(
            hits: hits, total: try tables.count(), sequence: sequence, statistics: statistics)
    }

    private func hits(after first: Int64, to last: Int64, limit: Int) throws -> [TextHit] {
        let statement = try connection.statement(
            composed: """
                SELECT row, sequence, since, id FROM \(tables.name)_documents
                WHERE number > ?1 AND number <= ?3 ORDER BY number LIMIT ?2
                """)
        defer { statement.reset() }
        statement.bind(first, at: 1)
        statement.bind(limit, at: 2)
        statement.bind(last, at: 3)
        var hits: [TextHit] = []
        while try statement.step() { hits.append(TextHit(TextTables.Entry(statement), score: 0)) }
        return hits
    }

    /// Returns those of the given documents that the index contains.
    ///
    /// - Parameter numbers: The numbers of the documents, ascending. A number may occur several times.
    private func hits(_ numbers: [Int64], after first: Int64, to last: Int64, limit: Int) throws -> [TextHit] {
        var (hits, previous): ([TextHit], Int64) = ([], first)
        for number in numbers where number > previous && number <= last && hits.count < limit {
            previous = number
            if let entry = try tables.entry(number) { hits.append(TextHit(entry, score: 0)) }
        }
        return hits
    }

    private func hit(_ row: TextRow, _ score: Double) throws -> TextHit? {
        try tables.entry(row.number).map { TextHit($0, score: score) }
    }

    /// Returns the sequence up to which the index is complete. An index of a function stores this sequence. Any other
    /// index contains all changes of the database, so the sequence is the highest sequence of a document. Returns 0 if
    /// there is no sequence.
    private func lastSequence() throws -> Int64 {
        let statement = try connection.statement(
            composed: definition.isOfFunctions
                ? "SELECT sequence FROM indexes WHERE number = \(index.number)" : "SELECT max(sequence) FROM documents")
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : 0
    }

    /// Returns the hits among documents that were edited after the first page was read. The text that a document had at
    /// that time is searched, and determines the score. A document is omitted if this text is not stored.
    private func edited(_ rows: [TextRow], since position: TextPosition) throws -> [TextHit] {
        guard !rows.isEmpty else { return [] }
        let numbers = Set(rows.map(\.number))
        let past = try tables.past(at: position.sequence).filter { numbers.contains($0.row.number) }
        guard !past.isEmpty else { return [] }
        let scratch = try TextScratch(columns: columns.count, definition.tableAnalyzer)
        for text in past.sorted(by: { $0.row < $1.row }) {
            try scratch.add(TextContent(bytes: text.text), at: text.row)
        }
        let collector = try TextCollector(
            on: scratch.connection, table: TextScratch.table, boosts: self.collector.boosts)
        let collected = try collector.collect(expression, limit: past.count, statistics: position.statistics)
        return try collected.best.compactMap { row, score in try hit(row, score) }
    }

    // MARK: All hits

    /// Returns all hits, in undefined order.
    func allRows() throws -> [TextHit] {
        guard let text = expression.text else { return [] }
        let statement = try connection.statement(
            composed: "SELECT rowid FROM \(tables.name) WHERE \(tables.name) MATCH ?1")
        statement.bind(text, at: 1)
        var rows: [TextRow] = []
        while try statement.step() { rows.append(TextRow(rawValue: statement.int64(0))) }
        let hits = try rows.compactMap { try hit($0, 0) }
        return expression.needsCheck ? try check(hits) : hits
    }
}

extension TextHit {
    fileprivate init(_ entry: TextTables.Entry, score: Double) {
        self.init(number: entry.row.number, sequence: entry.sequence, storedID: entry.id, score: score)
    }
}

extension TextExpressionBuilder.FieldScope {
    fileprivate init(_ position: TextColumns.ColumnLocation) {
        switch position {
        case .column(let column): self = .column("c\(column)")
        case .shared(let column): self = .within("c\(column)")
        case .absent: self = .nowhere
        }
    }
}
