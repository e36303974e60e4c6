//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces
package import GodwitSQLite
package import GodwitStore

/// Maintains the geospatial indexes that functions define. These are the functions in Cloudant's `st_indexes` that a
/// ``GeoRule`` cannot express.
package struct GeoFunctionIndex: PrecomputingIndexKind, ScriptedIndexKind {
    /// The geometries of a changed document.
    package struct Change: Sendable {
        let number: Int64
        let storedID: String
        let entries: GeoEntries
    }

    package var kind: String { functionIndexKind }
    package var isShared: Bool { true }
    package var scripts: ScriptEngine { calls.scripts }

    private let calls: DocumentCalls

    /// Creates a maintainer of this kind of index.
    ///
    /// - Parameters:
    ///   - scripts: The engine that runs the functions of design documents.
    ///   - limits: The limits on the work of these functions.
    package init(_ scripts: ScriptEngine, limits: ViewLimits = ViewLimits()) {
        calls = DocumentCalls(scripts: scripts, limits: limits)
    }

    package func definitions(in design: [UInt8]) -> [IndexDefinition] {
        let texts = Set(
            GeoIndexDefinition.all(in: design).values.compactMap { definition in
                if case .function = definition.source { definition.text } else { nil }
            })
        return texts.map { IndexDefinition(name: IndexSignature.of($0), text: $0) }.sorted { $0.name < $1.name }
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
        try GeoWriter(index, on: connection).completeCount(of: row.number)
    }

    package func entryCount(in index: IndexDescription, on connection: SQLiteConnection) throws -> Int {
        try GeoTables(index, on: connection).count()
    }

    package func entries(
        of changes: [IndexChange], for index: IndexDescription, in database: IndexedDatabase
    ) async throws -> [Change] {
        let (documents, gone) = changes.forFunctions(includingDesigns: false)
        let definition = try GeoIndex.definition(of: index)
        guard case .function(let function) = definition.source else { return [] }
        let program = ScriptProgram(of: index, source: Self.design(of: function), in: database)
        let removals = gone.map { Change(number: $0.number, storedID: "", entries: GeoEntries()) }
        return try await removals
            + calls.run(documents) { batch in
                let text = DocumentCalls.text(of: batch, withLocalSequence: false)
                return ScriptCall(program, "geometries", [Array(Self.functionName.utf8), text])
            } read: { batch, answer in
                try Self.changes(of: batch, in: answer, by: definition)
            }
    }

    package func apply(_ entries: [Change], to index: IndexDescription, on connection: SQLiteConnection) throws {
        var writer = try GeoWriter(index, on: connection)
        for change in entries {
            try writer.replace(with: change.entries, number: change.number, storedID: change.storedID)
        }
        try writer.finish()
    }

    package func finish(
        _ index: IndexDescription, in database: IndexedDatabase
    ) async throws -> @Sendable (SQLiteConnection) throws -> Void {
        try await TreePacking(index, in: database).run()
        return { _ in }
    }

    // MARK: Index function

    /// The name that the function has in the document of ``design(of:)``.
    private static let functionName = "index"

    /// Returns a design document with only the function, so that equal functions share one JavaScript context.
    private static func design(of function: String) -> [UInt8] {
        let design: JSONValue = ["st_indexes": ["index": ["index": .string(function)]]]
        return design.jsonBytes()
    }

    private static func changes(
        of documents: [DocumentRow], in answer: ScriptAnswer, by definition: GeoIndexDefinition
    ) throws -> [Change] {
        let tape = answer.tape
        // A function may have modified its JavaScript context, so the structure of its answer is checked.
        guard tape.kind(answer.index) == .array, tape.count(of: answer.index) == documents.count,
            tape.elements(of: answer.index).allSatisfy({ tape.kind($0) == .array })
        else {
            throw ScriptError(
                .invalidAnswer, error: "invalid_answer", reason: "An index function returned no geometries.")
        }
        return zip(documents, tape.elements(of: answer.index)).map { row, list in
            let messages = tape.elements(of: list).compactMap { Self.thrownMessage(at: $0, of: tape) }
            var entries = GeoEntries(
                tape.elements(of: list).filter { Self.thrownMessage(at: $0, of: tape) == nil }, of: tape,
                system: definition.system)
            for message in messages { entries.leaveOut("the function threw: \(message)") }
            return Change(number: row.number, storedID: row.id, entries: entries)
        }
    }

    /// Returns the error that the function threw, if the result contains it instead of a geometry; `nil` otherwise.
    private static func thrownMessage(at index: Int, of tape: JSONTape) -> String? {
        guard tape.kind(index) == .object, let text = tape.member("thrown", of: index), tape.kind(text) == .string
        else { return nil }
        return String(tape.string(text).prefix(thrownCharactersMax))
    }

    /// The maximum number of characters of a thrown error that are stored.
    private static let thrownCharactersMax = 200
}
