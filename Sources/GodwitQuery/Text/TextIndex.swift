//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitSQLite
package import GodwitStore

/// Text indexes over FTS5: ``TextIndexDefinition`` says what is indexed, ``TextSearch`` finds it.
///
/// The winner of each document is indexed, unless it is deleted, a design document, or outside of the index's filter. Of
/// an edit that leaves the indexed texts as they were, only the sequence is written.
package struct TextIndex: IndexMaintainer {
    package let kind = "text"
    package let followsWrites = true

    package init() {}

    package func create(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        let definition = try TextIndexDefinition(stored: index.definition)
        try TextTables(index: index.number, on: connection).create(definition)
    }

    package func apply(
        _ changes: [IndexChange], to index: IndexDescription, on connection: SQLiteConnection
    ) throws {
        guard !changes.isEmpty else { return }
        var writer = try TextIndexWriter(index, on: connection)
        try writer.apply(changes)
    }

    package func remove(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try TextTables(index: index.number, on: connection).drop()
    }
}
