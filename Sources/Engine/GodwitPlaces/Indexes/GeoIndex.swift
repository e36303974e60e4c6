//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitSQLite
package import GodwitStore

/// Maintains geospatial indexes in the transactions of writes. It maintains only indexes whose geometries are found by
/// a rule, not by a JavaScript function.
package struct GeoIndex: FinishingMaintainer {
    /// The name of this kind of index in a database file; see ``IndexKind/kind``.
    package static let kindName = "geo"
    private static let definitions = DefinitionCache { try GeoIndexDefinition(text: $0) }

    package var kind: String { Self.kindName }
    package var followsWrites: Bool { true }
    package var sliceFactor: Int { GeoLimits.sliceFactor }

    /// Creates a maintainer of this kind of index.
    package init() {}

    /// Returns the parsed definition of an index.
    package static func definition(of index: IndexDescription) throws -> GeoIndexDefinition {
        try definitions.definition(index.definition)
    }

    package func definitions(in design: [UInt8]) -> [IndexDefinition] {
        GeoIndexDefinition.all(in: design).compactMap { name, definition in
            guard case .rule = definition.source else { return nil }
            return IndexDefinition(name: name.text, text: definition.text)
        }.sorted { ExactText($0.name) < ExactText($1.name) }
    }

    package func create(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try GeoTables(index, on: connection).create()
    }

    package func remove(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try GeoTables(index, on: connection).remove()
    }

    package func entryCount(
        of row: DocumentRow, storedID: String, in index: IndexDescription, on connection: SQLiteConnection
    ) throws -> Int? {
        let entries = try Self.entries(of: row, by: Self.definition(of: index)).entries
        let writer = try GeoWriter(index, on: connection)
        let isComplete = try writer.has(entries, row.number) && writer.hasBoxes(of: entries, row.number)
        return isComplete ? entries.count : nil
    }

    package func entryCount(in index: IndexDescription, on connection: SQLiteConnection) throws -> Int {
        try GeoTables(index, on: connection).count()
    }

    package func apply(_ changes: [IndexChange], to index: IndexDescription, on connection: SQLiteConnection) throws {
        var writer = try GeoWriter(index, on: connection)
        let newestChanges = Self.lastChanges(changes.map(\.number)).map { changes[$0] }
        let entries = try Self.entries(of: newestChanges, by: Self.definition(of: index), writer)
        for (change, entries) in zip(newestChanges, entries) {
            switch change {
            case .removed(let number, _): try writer.remove(number: number)
            case .changed(let row, let id): try writer.replace(with: entries.get(), number: row.number, storedID: id)
            }
        }
        try writer.finish()
    }

    /// Returns the geometries of documents. Many documents are processed on several cores. Before that, the stored
    /// geometries are read on this thread.
    private static func entries(
        of changes: [IndexChange], by definition: GeoIndexDefinition, _ writer: GeoWriter
    ) throws -> [Result<GeoEntries, any Error>] {
        let storedEntries = try changes.map { try writer.stored($0.number) }
        return changes.indices.mapOnCores(share: GeoLimits.documentsReadTogether) { index in
            guard case .changed(let row, _) = changes[index] else { return .success(GeoEntries()) }
            return Result { try entries(of: row, by: definition, known: storedEntries[index]) }
        }
    }

    package func isSettled(_ index: IndexDescription, on connection: SQLiteConnection) throws -> Bool {
        try !TreePacking.isWanted(index, on: connection)
    }

    package func settle(_ index: IndexDescription, in database: IndexedDatabase) async throws {
        try await TreePacking(index, in: database).run()
    }

    /// Returns the index of the last change of each document. If a document changed several times, only its last change
    /// is written.
    private static func lastChanges(_ numbers: [Int64]) -> [Int] {
        if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) { return Array(numbers.indices) }
        var lastIndexes: [Int64: Int] = [:]
        for (index, number) in numbers.enumerated() { lastIndexes[number] = index }
        return numbers.indices.filter { lastIndexes[numbers[$0]] == $0 }
    }

    private static func entries(
        of row: DocumentRow, by definition: GeoIndexDefinition, known: [GeoEntries.Entry] = []
    ) throws -> GeoEntries {
        guard case .rule(let rule) = definition.source else { return GeoEntries() }
        return try GeoEntries(of: row, by: rule, system: definition.system, known: known)
    }
}
