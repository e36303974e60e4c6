//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite

/// Decides which candidates of a search are hits. Candidates are documents that match according to the index; the index
/// alone cannot always decide whether a document matches the query.
///
/// The documents of the candidates are inserted into a table in memory that has the columns of the index and two kinds
/// of additional columns. The first kind exists because several fields can share one column in the index. If the query
/// searches such a field for words, the field has a separate column in the table. The second kind exists because the
/// index does not contain the values that ranges test. One column contains a word for each range of the query in which
/// the document has a value. With this table, the complete query is one expression for FTS5.
///
/// Ranges that every hit must satisfy are tested before a document is inserted. If the query needs no other test, the
/// table is not created.
extension TextSearch {
    /// Returns the hits among candidates, in the same order.
    func check(_ candidates: [TextHit]) throws -> [TextHit] {
        var hits: [TextHit] = []
        var rest = candidates[...]
        while !rest.isEmpty {
            let batch = rest.prefix(TextLimits.checkedTogetherMax)
            rest = rest.dropFirst(batch.count)
            let rows = try TextCheck(self).rows(among: batch)
            hits += batch.filter { rows.contains(TextRow(number: $0.number, length: 0)) }
        }
        return hits
    }

    /// Checks that the index counts the values of the fields that the request wants to be counted. Only indexes of
    /// functions are checked.
    ///
    /// - Throws: ``TextError`` when the index has documents and does not count the values of a field.
    func check(_ facets: TextFacets) throws {
        guard definition.isOfFunctions, try tables.count() > 0 else { return }
        let countedFields = try FieldTables(tables).facets()
        for field in facets.counts + facets.ranges.keys.sorted().map(\.text)
        where !countedFields.contains(ExactText(TextPath.normalized(field))) {
            throw TextError.notFaceted(field)
        }
    }

    /// Returns the indexed content of a document: its body, or the fields that a function emitted.
    func body(of hit: TextHit) throws -> JSONTape? {
        if definition.isOfFunctions { return try FieldTables(tables).fields(of: hit.number) }
        let statement = try connection.statement("SELECT body FROM documents WHERE sequence = ?1")
        defer { statement.reset() }
        statement.bind(hit.sequence, at: 1)
        return try statement.step() ? try JSONTape(scanning: statement.bytes(0) ?? []) : nil
    }
}

private struct TextCheck {
    private let search: TextSearch
    /// The ranges that every hit must satisfy.
    private let required: [(range: TextRange, field: String)]
    /// The table for the remaining tests; `nil` when no other test remains.
    private let scratch: TextScratch?
    private let expression: TextExpression
    /// The fields that the query searches for words and that share a column in the index. Each has a separate column in
    /// the table, after the columns of the index.
    private let fields: [String]
    /// The ranges of the query with their fields.
    private let ranges: [(range: TextRange, field: String)]

    init(_ search: TextSearch) throws {
        self.search = search
        let (fields, ranges) = Self.sharedFieldsAndRanges(of: search)
        (self.fields, self.ranges) = (fields, ranges)
        required = Self.required(by: search.query.root)
        let count = search.columns.count
        scratch =
            !fields.isEmpty || required.count < ranges.count
            ? try TextScratch(columns: count + fields.count + 1, search.definition.tableAnalyzer) : nil
        let addedColumns = (0...fields.count).map { "c\(count + $0)" }
        let columns = search.columns
        let builder = TextExpressionBuilder(
            lexer: search.lexer,
            defaultFilter: search.definition.hasDefaultField ? "- {\(addedColumns.joined(separator: " "))} : " : nil,
            position: { field in
                if let index = fields.firstIndex(where: { $0.isIdenticalText(to: field) }) {
                    return .column("c\(count + index)")
                }
                if case .column(let column) = columns.position(of: field) { return .column("c\(column)") }
                return .nowhere
            },
            mark: { range, field in
                ranges.firstIndex { $0.range == range && $0.field.isIdenticalText(to: field) }
                    .map { "{c\(count + fields.count)} : \"\(Self.mark($0))\"" }
            })
        expression = try builder.expression(search.query)
    }

    private static func required(by node: TextQuery.Node) -> [(range: TextRange, field: String)] {
        switch node {
        case .range(let range, let field): [(range, field)]
        case .and(let nodes): nodes.flatMap(required)
        default: []
        }
    }

    private static func sharedFieldsAndRanges(of search: TextSearch) -> ([String], [(range: TextRange, field: String)])
    {
        var (fields, ranges): ([String], [(range: TextRange, field: String)]) = ([], [])
        for leaf in search.query.root.leaves {
            if case .range(let range, let field) = leaf {
                ranges.append((range, field))
            } else if let field = leaf.field, case .shared = search.columns.position(of: field),
                !fields.contains(where: { $0.isIdenticalText(to: field) })
            {
                fields.append(field)
            }
        }
        return (fields, ranges)
    }

    /// Returns the word of documents that have a value in a range. It consists of letters, because some tokenizers drop
    /// digits.
    ///
    /// - Parameter range: The position of the range in ``ranges``.
    private static func mark(_ range: Int) -> String {
        "x" + String(range).map { String(UnicodeScalar(UInt8(ascii: "g") + UInt8(String($0))!)) }.joined() + "x"
    }

    func rows(among hits: some Sequence<TextHit>) throws -> Set<TextRow> {
        var rows: Set<TextRow> = []
        for hit in hits.sorted(by: { $0.number < $1.number }) {
            guard let tape = try search.body(of: hit), meetsRanges(tape) else { continue }
            let row = TextRow(number: hit.number, length: 0)
            if let scratch { try scratch.add(content(of: tape), at: row) } else { rows.insert(row) }
        }
        return try scratch?.rows(matching: expression) ?? rows
    }

    private func meetsRanges(_ tape: JSONTape) -> Bool {
        var metRanges = required.map { _ in false }
        for (path, value) in TextLeaves(of: tape, for: .words) {
            for index in required.indices where !metRanges[index] && required[index].field.isIdenticalText(to: path) {
                metRanges[index] = required[index].range.contains(value, in: tape)
            }
        }
        return metRanges.allSatisfy { $0 }
    }

    private func content(of tape: JSONTape) -> TextContent {
        var columns = search.columns
        var content = TextExtractor.content(of: tape, by: search.lexer, columns: &columns) { _, _ in }
        let count = columns.count
        for (path, value) in TextLeaves(of: tape, for: .words) {
            if let index = fields.firstIndex(where: { $0.isIdenticalText(to: path) }) {
                content.append(search.lexer.content(of: value, in: tape, at: path), to: count + index)
            }
            for (rangeIndex, range) in ranges.enumerated() where range.field.isIdenticalText(to: path) {
                guard range.range.contains(value, in: tape) else { continue }
                content.append(Self.mark(rangeIndex).utf8, to: count + fields.count)
            }
        }
        return content
    }
}
