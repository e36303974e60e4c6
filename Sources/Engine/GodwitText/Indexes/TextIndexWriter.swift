//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite
import GodwitStore

/// Updates a text index with the new states of documents.
///
/// While rows are written in ascending order, FTS5 collects the words of a transaction in memory. Each time a row is
/// out of order, FTS5 writes a segment. Therefore, this writer first collects the words of all documents, and
/// ``finish()`` writes them in ascending order of rows. The entries of the documents are written immediately, without
/// their words, so each writer must be finished exactly once.
struct TextIndexWriter {
    private let tables: TextTables
    private let lexer: TextLexer
    private var columns: TextColumns
    private var steps: [Step] = []
    private var isFinished = false

    /// The words to remove or to add for one document.
    private struct Step {
        let row: TextRow
        let isAddition: Bool
        let content: TextContent
    }

    init(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        let definition = try TextIndex.definition(of: index)
        tables = TextTables(index: index.number, on: connection)
        lexer = try TextLexer(definition, on: connection)
        columns = try tables.columns(definition)
    }

    /// Applies the collected changes.
    mutating func finish() throws {
        invariant(!isFinished, "the words of changes are written once")
        isFinished = true
        steps.sort { $0.row == $1.row ? !$0.isAddition && $1.isAddition : $0.row < $1.row }
        for step in steps { try perform(step) }
        if steps.contains(where: { !$0.isAddition }) { try tables.forget() }
    }

    /// Collects the removal of a document from the index.
    ///
    /// - Parameter sequence: The sequence of the change; `nil` when the document has been removed from the database.
    mutating func noteRemoval(of number: Int64, at sequence: Int64?) throws {
        invariant(!isFinished, "changes are noted before their words are written")
        guard let oldEntry = try tables.entry(number) else { return }
        try noteRemoval(of: oldEntry, at: sequence)
        try tables.remove(number)
    }

    /// Collects the new state of a document. Each document may be noted only once, as changed or as removed.
    mutating func note(_ document: JSONTape, number: Int64, sequence: Int64, storedID: String) throws {
        invariant(!isFinished, "changes are noted before their words are written")
        let oldEntry = try tables.entry(number)
        let tables = tables
        let content = try TextExtractor.content(of: document, by: lexer, columns: &columns) { path, column throws in
            try tables.addField(path, at: column)
        }
        let text = content.bytes
        if var entry = oldEntry, try tables.text(entry.row.number) == text {
            (entry.sequence, entry.id) = (sequence, storedID)
            return try tables.put(entry)
        }
        if let oldEntry { try noteRemoval(of: oldEntry, at: sequence) }
        let newRow = TextRow(number: number, length: lexer.count(content))
        steps.append(Step(row: newRow, isAddition: true, content: content))
        try tables.put(.init(row: newRow, sequence: sequence, since: sequence, id: storedID))
        try tables.putText(text, of: number)
    }

    private mutating func noteRemoval(of entry: TextTables.Entry, at sequence: Int64?) throws {
        let text = try tables.text(entry.row.number)
        if let sequence { try tables.remember(text, of: entry, until: sequence) }
        steps.append(Step(row: entry.row, isAddition: false, content: TextContent(bytes: text)))
    }

    private func perform(_ step: Step) throws {
        invariant(isFinished, "words are written in the order of all rows")
        if step.isAddition {
            try TextTables.add(
                step.content, at: step.row, to: tables.name, columns: columns.count, on: tables.connection)
        } else {
            try TextTables.remove(
                step.content, at: step.row, from: tables.name, columns: columns.count, on: tables.connection)
        }
    }
}
