//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CText
package import GodwitBase
package import GodwitJSON
import GodwitSQLite

/// Extracts fragments of a document's fields, in which the matches of a query are highlighted.
package struct TextHighlighter: Sendable {
    /// Options for extracting and highlighting fragments: Cloudant's `highlight_*` parameters.
    package struct Style: Sendable {
        /// The fields, by their dotted paths.
        package var fields: [String]
        /// The text before each match. The fragments contain the text of the document unchanged, not escaped for HTML.
        package var before = "<em>"
        /// The text after each match.
        package var after = "</em>"
        /// The maximum number of fragments of a field, at least 0. The fragments with the most matches are returned.
        package var fragmentsMax = 1
        /// The length of a fragment in Unicode scalars, without ``before`` and ``after``. Words that do not fit
        /// completely at the ends of a fragment are omitted. A match that is longer than this is returned completely.
        package var length = 100

        /// Creates options for fields, with the default values of the other options.
        package init(fields: [String]) { self.fields = fields }
    }

    private let query: TextQuery
    private let definition: TextIndexDefinition
    private let style: Style

    /// - Parameters:
    ///   - query: The query that found the documents.
    ///   - definition: The index's definition.
    ///   - style: The options for fragments. Values above ``TextLimits`` are reduced to these limits.
    package init(_ query: TextQuery, _ definition: TextIndexDefinition, style: Style) {
        self.query = query
        self.definition = definition
        self.style = style
    }

    /// Returns the fragments of each field that matches, in the order of the text. If a function emitted the fields,
    /// only stored fields are searched.
    ///
    /// - Parameter document: The scanned body, or the list of fields that a function emitted.
    package func fragments(of document: JSONTape) throws -> [ExactText: [String]] {
        let texts = texts(of: document)
        var scratches: [String: TextScratch] = [:]
        var fragments: [ExactText: [String]] = [:]
        for (fieldIndex, field) in style.fields.enumerated() where !texts[fieldIndex].isEmpty {
            let analyzer = analyzer(of: field)
            let scratch = try scratches[analyzer.name] ?? Self.scratch(analyzer)
            scratches[analyzer.name] = scratch
            guard let expression = try expression(for: field, analyzer, on: scratch.connection).text else { continue }
            var content = TextContent()
            content.append(texts[fieldIndex], to: 0)
            try scratch.add(content, at: TextRow(number: Int64(fieldIndex), length: 0))
            let spans = try spans(of: expression, row: TextRow(number: Int64(fieldIndex), length: 0), in: scratch)
            let cutter = TextFragments(text: texts[fieldIndex], spans: spans, style: style)
            if !spans.isEmpty { fragments[ExactText(field)] = cutter.fragments() }
        }
        return fragments
    }

    private static func scratch(_ analyzer: TextAnalyzer) throws -> TextScratch {
        let scratch = try TextScratch(columns: 1, analyzer, keepsContent: true)
        try scratch.connection.extend("text rank") { godwit_text_register($0) }
        return scratch
    }

    private func analyzer(of field: String) -> TextAnalyzer {
        definition.fieldAnalyzers?.analyzer(of: TextPath.normalized(field)) ?? definition.analyzer
    }

    private func texts(of document: JSONTape) -> [[UInt8]] {
        let paths = style.fields.map(TextPath.normalized)
        var contents = paths.map { _ in TextContent() }
        for (path, value) in TextLeaves(of: document, for: .stored) {
            for (fieldIndex, fieldPath) in paths.enumerated() where fieldPath.isIdenticalText(to: path) {
                contents[fieldIndex].append(TextContent.text(of: value, in: document), to: 0)
            }
        }
        return contents.map { $0.texts.first?.text ?? [] }
    }

    /// Returns the parts of the query that can match a field, joined with `OR`.
    private func expression(
        for field: String, _ analyzer: TextAnalyzer, on connection: SQLiteConnection
    ) throws -> TextExpression {
        let path = TextPath.normalized(field)
        let leaves = query.root.positiveLeaves.filter { $0.field?.isIdenticalText(to: path) ?? true }
        let builder = TextExpressionBuilder(
            lexer: try TextLexer(analyzer, on: connection), defaultFilter: "", position: { _ in .column("c0") },
            mark: { _, _ in nil })
        return leaves.isEmpty ? TextExpression() : try builder.expression(.or(leaves))
    }

    private func spans(of expression: String, row: TextRow, in scratch: TextScratch) throws -> [Range<Int>] {
        let statement = try scratch.connection.statement(
            "SELECT godwit_text_spans(scratch, ?3) FROM scratch WHERE scratch MATCH ?1 AND rowid = ?2")
        statement.bind(expression, at: 1)
        statement.bind(row.rawValue, at: 2)
        var spans = godwit_text_spans()
        defer { godwit_text_spans_release(&spans) }
        try withUnsafeMutablePointer(to: &spans) { spans in
            statement.bind(pointer: spans, type: godwit_text_spans_type, at: 3)
            defer { statement.bindNull(at: 3) }
            try statement.run()
        }
        return UnsafeBufferPointer(start: spans.spans, count: Int(spans.count)).map { span in
            Int(span.start)..<Int(max(span.start, span.end))
        }
    }
}
