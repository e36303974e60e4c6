//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite
import GodwitStore

/// Brings a text index to new states of documents.
///
/// FTS5 gathers a transaction's words in memory as long as rows come in ascending order, and writes a segment whenever
/// one does not. So what is to be done is noted first and done in that order.
struct TextIndexWriter {
    private let tables: TextTables
    private let extractor: TextExtractor
    private let tokenizer: TextTokenizer
    private var columns: TextColumns
    private var steps: [Step] = []

    /// A document's words, to be taken away or added.
    private struct Step {
        let row: TextRow
        let isAddition: Bool
        let content: TextContent
    }

    init(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        let definition = try TextIndex.definition(of: index)
        tables = TextTables(index: index.number, on: connection)
        extractor = TextExtractor(definition)
        tokenizer = try TextTokenizer(definition.analyzer, on: connection)
        columns = try tables.columns(definition)
    }

    mutating func apply(_ changes: [IndexChange]) throws {
        // Of several states of one document within a transaction nobody sees but the last.
        var last: [Int64: IndexChange] = [:]
        for change in changes { last[change.number] = change }
        for (_, change) in last.sorted(by: { $0.key < $1.key }) { try note(change) }
        steps.sort { $0.row == $1.row ? !$0.isAddition && $1.isAddition : $0.row < $1.row }
        for step in steps { try perform(step) }
        if steps.contains(where: { !$0.isAddition }) { try tables.forget() }
    }

    private mutating func note(_ change: IndexChange) throws {
        let old = try tables.entry(change.number)
        guard case .changed(let row, let id) = change, let content = try content(of: row, storedID: id) else {
            guard let old else { return }
            var until: Int64?
            if case .changed(let row, _) = change { until = row.sequence }
            try noteRemoval(of: old, at: until)
            return try tables.remove(change.number)
        }
        let text = content.bytes
        if var entry = old, try tables.text(entry.row.number) == text {
            (entry.sequence, entry.id) = (row.sequence, id)
            return try tables.put(entry)
        }
        if let old { try noteRemoval(of: old, at: row.sequence) }
        let length = content.texts.reduce(0) { $0 + tokenizer.count($1.text) }
        let new = TextRow(number: row.number, length: length)
        steps.append(Step(row: new, isAddition: true, content: content))
        try tables.put(.init(row: new, sequence: row.sequence, since: row.sequence, id: id))
        try tables.putText(text, of: row.number)
    }

    private mutating func noteRemoval(of entry: TextTables.Entry, at sequence: Int64?) throws {
        let text = try tables.text(entry.row.number)
        if let sequence { try tables.remember(text, of: entry, until: sequence) }
        steps.append(Step(row: entry.row, isAddition: false, content: TextContent(bytes: text)))
    }

    private mutating func content(of row: DocumentRow, storedID: String) throws -> TextContent? {
        guard let tape = try extractor.tape(of: row, storedID: storedID) else { return nil }
        return try extractor.content(of: tape, columns: &columns) { path, column throws in
            try tables.addField(path, at: column)
        }
    }

    private func perform(_ step: Step) throws {
        if step.isAddition {
            try TextTables.add(
                step.content, at: step.row, to: tables.name, columns: columns.count, on: tables.connection)
        } else {
            try TextTables.remove(
                step.content, at: step.row, from: tables.name, columns: columns.count, on: tables.connection)
        }
    }
}
