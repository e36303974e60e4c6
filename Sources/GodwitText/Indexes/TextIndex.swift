//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitSQLite
package import GodwitStore

/// Text indexes over FTS5: ``TextIndexDefinition`` says what is indexed, ``TextSearch`` finds it.
///
/// The winner of each document is indexed, unless it is deleted, a design document, or outside of the index's filter. Of
/// an edit that leaves the indexed texts as they were, only the sequence is written.
package struct TextIndex: IndexMaintainer {
    package static let kindName = "text"
    private static let definitions = DefinitionMemory { try TextIndexDefinition(stored: $0) }

    package var kind: String { Self.kindName }
    package var followsWrites: Bool { true }

    package init() {}

    /// What an index is made of.
    ///
    /// - Throws: ``TextError`` when it was made of other words than are made now.
    package static func definition(of index: IndexDescription) throws -> TextIndexDefinition {
        try definitions.definition(index.definition)
    }

    /// Whether an index has the words that are made of texts now.
    package func isCurrent(_ index: IndexDescription) -> Bool { Self.isCurrent(index) }

    /// The same, also of an index that a function makes.
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
        // Of several states of one document within a transaction nobody sees but the last.
        var last: [Int64: IndexChange] = [:]
        for change in changes { last[change.number] = change }
        for (number, change) in last.sorted(by: { $0.key < $1.key }) {
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
