//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitSQLite
package import GodwitStore

/// Maintains text indexes in FTS5 tables: ``TextIndexDefinition`` describes the indexed fields, ``TextSearch`` searches
/// them.
///
/// The winner of each document that matches the index's filter is indexed. Deleted documents and design documents are
/// not indexed. If an edit leaves the indexed texts unchanged, only the sequence and the stored id are updated.
package struct TextIndex: IndexMaintainer {
    /// The name of this kind of index in a database file; see ``IndexKind/kind``.
    package static let kindName = "text"
    private static let definitions = DefinitionCache { try TextIndexDefinition(stored: $0) }

    package var kind: String { Self.kindName }
    package var followsWrites: Bool { true }

    /// Creates a maintainer of this kind of index.
    package init() {}

    /// Returns the parsed definition of an index.
    ///
    /// - Throws: ``TextError`` when another version of the tokenizer created the index's words, or an analyzer is not
    ///   available; another error when the stored definition is damaged.
    package static func definition(of index: IndexDescription) throws -> TextIndexDefinition {
        try definitions.definition(index.definition)
    }

    /// Whether the index can be used. It can be used if its definition is readable and the current tokenizer created
    /// its words.
    package func isCurrent(_ index: IndexDescription) -> Bool { Self.isCurrent(index) }

    /// Whether the index can be used. It can be used if its definition is readable, its analyzers are available, and
    /// the current versions of these analyzers created its words. This method also accepts an index that a function
    /// fills.
    package static func isCurrent(_ index: IndexDescription) -> Bool { (try? definition(of: index)) != nil }

    package func definitions(in design: [UInt8]) -> [IndexDefinition] {
        QueryDesign(design).texts.compactMap { name, entry in
            guard let index = entry["index"], let definition = try? TextIndexDefinition(parsing: index) else {
                return nil
            }
            return IndexDefinition(name: name, text: definition.bytes)
        }
    }

    package func create(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try TextTables(index: index.number, on: connection).create(Self.definition(of: index))
    }

    package func apply(
        _ changes: [IndexChange], to index: IndexDescription, on connection: SQLiteConnection
    ) throws {
        guard !changes.isEmpty else { return }
        var writer = try TextIndexWriter(index, on: connection)
        let extractor = TextExtractor(try Self.definition(of: index))
        // If a document changed several times within a transaction, only its last state is visible.
        var lastChanges: [Int64: IndexChange] = [:]
        for change in changes { lastChanges[change.number] = change }
        for (number, change) in lastChanges.sorted(by: { $0.key < $1.key }) {
            guard case .changed(let row, let id) = change else {
                try writer.noteRemoval(of: number, at: nil)
                continue
            }
            if let document = try extractor.tape(of: row, storedID: id) {
                try writer.note(document, number: number, sequence: row.sequence, storedID: id)
            } else {
                try writer.noteRemoval(of: number, at: row.sequence)
            }
        }
        try writer.finish()
    }

    package func entryCount(
        of row: DocumentRow, storedID: String, in index: IndexDescription, on connection: SQLiteConnection
    ) throws -> Int? {
        let isIndexed = try TextExtractor(Self.definition(of: index)).tape(of: row, storedID: storedID) != nil
        let entry = try TextTables(index: index.number, on: connection).entry(row.number)
        guard isIndexed else { return entry == nil ? 0 : nil }
        return entry?.sequence == row.sequence ? 1 : nil
    }

    package func entryCount(in index: IndexDescription, on connection: SQLiteConnection) throws -> Int {
        try TextTables(index: index.number, on: connection).count()
    }

    package func remove(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try TextTables(index: index.number, on: connection).drop()
    }
}
