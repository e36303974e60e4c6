//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitSQLite
package import GodwitStore

/// Maintains the views of design documents: one index for each group.
package struct ViewIndex: PrecomputingIndexKind, ScriptedIndexKind {
    /// The name of this kind of index in a database file; see ``IndexKind/kind``.
    package static let kindName = "view"

    package var kind: String { Self.kindName }
    package var isShared: Bool { true }
    package var scripts: ScriptEngine { mapper.scripts }

    let mapper: ViewMapper

    /// Creates a maintainer of this kind of index.
    ///
    /// - Parameters:
    ///   - scripts: The engine that runs the functions of design documents.
    ///   - limits: The limits on the work of these functions.
    package init(_ scripts: ScriptEngine, limits: ViewLimits = ViewLimits()) {
        mapper = ViewMapper(scripts: scripts, limits: limits)
    }

    package func definitions(in design: [UInt8]) -> [IndexDefinition] {
        guard let members = try? JSONValue(parsing: design).objectValue, let group = ViewGroup(design: members) else {
            return []
        }
        let text = group.text
        return [IndexDefinition(name: IndexSignature.of(text), text: text)]
    }

    package func create(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try ViewTables(index).create(on: connection, views: ViewGroup(index)?.views.count ?? 0)
    }

    package func remove(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try ViewTables(index).remove(on: connection)
    }

    package func entryCount(
        of row: DocumentRow, storedID: String, in index: IndexDescription, on connection: SQLiteConnection
    ) throws -> Int? {
        let writer = try ViewWriter(ViewTables(index), on: connection)
        let entries = try writer.entries(of: row.number)
        for entry in entries where try !writer.has(entry) { return nil }
        return entries.count
    }

    package func entryCount(in index: IndexDescription, on connection: SQLiteConnection) throws -> Int {
        try ViewTables(index).count(on: connection)
    }

    package func entries(
        of changes: [IndexChange], for index: IndexDescription, in database: IndexedDatabase
    ) async throws -> [ViewChange] {
        guard let group = ViewGroup(index) else { return [] }
        return try await mapper.map(changes, by: group, program(of: index, in: database), in: database)
    }

    package func apply(
        _ entries: [ViewChange], to index: IndexDescription, on connection: SQLiteConnection
    ) throws {
        try ViewWriter(ViewTables(index), on: connection).apply(entries)
    }

    package func finish(
        _ index: IndexDescription, in database: IndexedDatabase
    ) async throws -> @Sendable (SQLiteConnection) throws -> Void {
        guard let group = ViewGroup(index) else { return { _ in } }
        return try await SpanFiller(
            index: index, group: group, database: database,
            reducers: try Reducers(group, program(of: index, in: database), scripts: mapper.scripts),
            limits: mapper.limits
        ).fill()
    }

    package func discardDerived(of index: IndexDescription, on connection: SQLiteConnection) throws -> Bool {
        try ViewTables(index).discardSpans(on: connection, views: ViewGroup(index)?.views.count ?? 0)
        return true
    }

    func program(of index: IndexDescription, in database: IndexedDatabase) -> ScriptProgram {
        ScriptProgram(of: index, source: index.definition, in: database)
    }
}
