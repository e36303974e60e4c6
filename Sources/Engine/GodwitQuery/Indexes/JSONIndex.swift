//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitSQLite
package import GodwitStore
import GodwitText

// An index has two tables. The first contains the entries in the order of their keys. Entries with equal keys are
// ordered by ids, as in CouchDB. The second table contains, for each document, the keys of its entries, so that entries
// with outdated keys can be deleted when the document changes. An entry refers to its document by the document's
// sequence, so a query joins the tables by integers. If a document changes but its keys do not change, only the
// sequence and the values of its entries are updated.

/// Maintains the Mango indexes of the type `json`.
package struct JSONIndex: IndexMaintainer {
    /// The name of this kind of index in a database file; see ``IndexKind/kind``.
    package static let kindName = "json"
    private static let definitions = DefinitionCache {
        try JSONIndexDefinition(.object(JSONIndexDefinition.listed($0)))
    }

    package var kind: String { Self.kindName }
    package var followsWrites: Bool { true }

    /// Creates a maintainer of this kind of index.
    package init() {}

    /// Returns the parsed definition of an index.
    package static func definition(of index: IndexDescription) throws -> JSONIndexDefinition {
        try definitions.definition(index.definition)
    }

    package func definitions(in design: [UInt8]) -> [IndexDefinition] {
        QueryDesign(design).views.compactMap { name, map in
            (try? JSONIndexDefinition(map, isOfDesign: true)).map { IndexDefinition(name: name, text: $0.text) }
        }
    }

    package func create(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try connection.execute(
            """
            CREATE TABLE \(index.entriesTable)(
                key BLOB, id TEXT, sequence INTEGER NOT NULL, "values" BLOB, PRIMARY KEY(key, id)) WITHOUT ROWID;
            CREATE TABLE \(index.documentsTable)(document INTEGER PRIMARY KEY, keys BLOB NOT NULL);
            """)
    }

    package func remove(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try connection.execute(
            "DROP TABLE IF EXISTS \(index.entriesTable); DROP TABLE IF EXISTS \(index.documentsTable)")
    }

    package func entryCount(
        of row: DocumentRow, storedID: String, in index: IndexDescription, on connection: SQLiteConnection
    ) throws -> Int? {
        let entries = try Self.definition(of: index).entries(of: row)
        let reader = try JSONIndexReader(index, on: connection)
        guard try reader.keys(of: row.number) == entries.map(\.key) else { return nil }
        for entry in entries {
            guard try reader.sequence(of: entry.key, id: storedID) == row.sequence else { return nil }
        }
        return entries.count
    }

    package func entryCount(in index: IndexDescription, on connection: SQLiteConnection) throws -> Int {
        try JSONIndexReader(index, on: connection).count()
    }

    package func apply(_ changes: [IndexChange], to index: IndexDescription, on connection: SQLiteConnection) throws {
        let definition = try Self.definition(of: index)
        let writer = try JSONIndexWriter(index, on: connection)
        var additions: [JSONIndexWriter.Row] = []
        // If a document changed several times, only its last change is written.
        var lastOffsets: [Int64: Int] = [:]
        for (offset, change) in changes.enumerated() { lastOffsets[change.number] = offset }
        for (offset, change) in changes.enumerated() where lastOffsets[change.number] == offset {
            switch change {
            case .removed(let number, let id): try writer.remove(number: number, id: id)
            case .changed(let row, let id):
                additions += try writer.replace(
                    definition.entries(of: row), number: row.number, id: id, sequence: row.sequence)
            }
        }
        // The entries are sorted by their keys, so that entries in the same page of the B-tree are written one after
        // the other.
        additions.sort { $0.entry.key.lexicographicallyPrecedes($1.entry.key) }
        for row in additions { try writer.insert(row) }
    }
}

extension IndexDescription {
    var entriesTable: String { "json_\(number)" }
    var documentsTable: String { "json_\(number)_documents" }
}
