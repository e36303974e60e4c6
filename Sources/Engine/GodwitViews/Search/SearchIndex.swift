//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
package import GodwitSQLite
package import GodwitStore
package import GodwitText

/// Maintains text indexes that are defined by functions, as in Cloudant's `indexes`. Each function has one index.
package struct SearchIndex: PrecomputingIndexKind, ScriptedIndexKind {
    package var kind: String { FieldIndex.kindName }
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
        let texts = Set(FieldIndex.definitions(in: design).values.map(\.bytes))
        return texts.map { IndexDefinition(name: IndexSignature.of($0), text: $0) }.sorted { $0.name < $1.name }
    }

    package func isCurrent(_ index: IndexDescription) -> Bool { TextIndex.isCurrent(index) }

    package func create(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try FieldIndex.create(index, on: connection)
    }

    package func remove(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try FieldIndex.remove(index, on: connection)
    }

    package func entryCount(
        of row: DocumentRow, storedID: String, in index: IndexDescription, on connection: SQLiteConnection
    ) throws -> Int? {
        try FieldIndex.entryCount(of: row.number, in: index, on: connection)
    }

    package func entryCount(in index: IndexDescription, on connection: SQLiteConnection) throws -> Int {
        try FieldIndex.count(in: index, on: connection)
    }

    package func entries(
        of changes: [IndexChange], for index: IndexDescription, in database: IndexedDatabase
    ) async throws -> [FieldIndex.Change] {
        let (documents, gone) = changes.forFunctions(includingDesigns: false)
        let program = ScriptProgram(of: index, source: Self.design(of: index), in: database)
        let removals = gone.map { change in
            switch change {
            case .changed(let row, let id):
                FieldIndex.Change(number: row.number, storedID: id, sequence: row.sequence, fields: nil)
            case .removed(let number, let id):
                FieldIndex.Change(number: number, storedID: id, sequence: nil, fields: nil)
            }
        }
        return try await removals
            + calls.run(documents) { batch in
                let text = DocumentCalls.text(of: batch, withLocalSequence: false)
                return ScriptCall(program, "fields", [Array(Self.functionName.utf8), text])
            } read: { batch, answer in
                try Self.changes(of: batch, in: answer)
            }
    }

    package func apply(
        _ entries: [FieldIndex.Change], to index: IndexDescription, on connection: SQLiteConnection
    ) throws {
        try FieldIndex.apply(entries, to: index, on: connection)
    }

    package func finish(
        _ index: IndexDescription, in database: IndexedDatabase
    ) -> @Sendable (SQLiteConnection) throws -> Void {
        { _ in }
    }

    // MARK: Index function

    /// The name that the function has in the document of ``design(of:)``.
    private static let functionName = "index"

    /// Returns a design document with only the function, so that equal functions share one JavaScript context.
    private static func design(of index: IndexDescription) -> [UInt8] {
        let function = (try? JSONValue(parsing: index.definition))?["index"] ?? .null
        let design: JSONValue = ["indexes": ["index": ["index": function]]]
        return design.jsonBytes()
    }

    private static func changes(of documents: [DocumentRow], in answer: ScriptAnswer) throws -> [FieldIndex.Change] {
        let tape = answer.tape
        // A function may have modified its JavaScript context, so the structure of its answer is checked.
        guard tape.kind(answer.index) == .array, tape.count(of: answer.index) == documents.count,
            tape.elements(of: answer.index).allSatisfy({ FieldIndex.isList($0, of: tape) })
        else {
            throw ScriptError(.invalidAnswer, error: "invalid_answer", reason: "An index function returned no fields.")
        }
        return zip(documents, tape.elements(of: answer.index)).map { row, list in
            let fields = tape.count(of: list) == 0 ? nil : Array(tape.slice(list))
            return FieldIndex.Change(number: row.number, storedID: row.id, sequence: row.sequence, fields: fields)
        }
    }
}
