//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
package import GodwitJSON
package import GodwitSQLite
package import GodwitStore

/// Text indexes that functions of design documents fill: Cloudant's `indexes`. For each document, such a function
/// passes fields to `index()`. Another module runs the functions and maintains the indexes; this module searches them.
///
/// An index is identified by its definition, so design documents with equal definitions share one index. Therefore, an
/// app can build a new version of an index without interrupting searches. The app first stores the new design document
/// under a temporary name. When the index is built, the app stores the same definition under the final name, and the
/// index is not rebuilt.
package enum FieldIndex {
    /// The name of this kind of index in a database file; see ``IndexKind/kind``.
    package static let kindName = "search"

    /// The fields that a function emitted for a changed document.
    package struct Change: Sendable {
        /// The permanent number of the document.
        package let number: Int64
        /// The id of the document as stored in the file. For a document of an owner, this id begins with `_owner/NAME/`
        /// (``Scope``).
        package let storedID: String
        /// The sequence of the change; `nil` when the document has been removed from the database.
        package let sequence: Int64?
        /// A JSON list of `[name, value, use]` or `[name, value, use, boost]`; `nil` when the document is not in the
        /// index. `use` is the sum of the field's uses: 1 if it is searched, 2 if it is stored, 4 if it is counted. The
        /// list must be valid: see ``isList(_:of:)``.
        package let fields: [UInt8]?

        /// Creates a change.
        ///
        /// - Parameters:
        ///   - number: The permanent number of the document.
        ///   - storedID: The id of the document as stored in the file.
        ///   - sequence: The sequence of the change; `nil` for a removed document.
        ///   - fields: The list of fields as JSON; `nil` when the document is not in the index.
        package init(number: Int64, storedID: String, sequence: Int64?, fields: [UInt8]?) {
            (self.number, self.storedID, self.sequence, self.fields) = (number, storedID, sequence, fields)
        }
    }

    /// Whether a value is a list of `[name, value, use]`, with an optional boost in each element.
    package static func isList(_ list: Int, of tape: JSONTape) -> Bool {
        tape.kind(list) == .array
            && tape.elements(of: list).allSatisfy { field in
                guard tape.kind(field) == .array, 3...4 ~= tape.count(of: field) else { return false }
                let kinds = tape.elements(of: field).map { tape.kind($0) }
                return kinds[0] == .string && [.string, .integer, .double, .true, .false].contains(kinds[1])
                    && kinds[2] == .integer && kinds.dropFirst(3).allSatisfy { [.integer, .double].contains($0) }
            }
    }

    /// Returns the valid definitions in a design document, keyed by the names of their indexes. Returns no definition
    /// if the language of the design document is not JavaScript.
    package static func definitions(in design: [UInt8]) -> [ExactText: TextIndexDefinition] {
        guard let members = (try? JSONValue(parsing: design))?.objectValue,
            members["language"]?.stringValue ?? "javascript" == "javascript",
            let indexes = members["indexes"]?.objectValue
        else { return [:] }
        return indexes.reduce(into: [:]) { definitions, index in
            definitions[ExactText(index.key)] = try? TextIndexDefinition(function: index.value)
        }
    }

    /// Creates an index's empty tables.
    package static func create(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        let tables = TextTables(index: index.number, on: connection)
        try tables.create(TextIndex.definition(of: index))
        try FieldTables(tables).create()
    }

    /// Removes an index's tables. Ignores absent tables.
    package static func remove(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        let tables = TextTables(index: index.number, on: connection)
        try tables.drop()
        try FieldTables(tables).drop()
    }

    /// Updates an index with the new states of documents. `changes` must contain each document at most once.
    package static func apply(
        _ changes: [Change], to index: IndexDescription, on connection: SQLiteConnection
    ) throws {
        guard !changes.isEmpty else { return }
        var writer = try TextIndexWriter(index, on: connection)
        let tables = FieldTables(TextTables(index: index.number, on: connection))
        var facets = try tables.facets()
        var boosts = try tables.boosts()
        for change in changes.sorted(by: { $0.number < $1.number }) {
            guard let fields = change.fields, let sequence = change.sequence else {
                try writer.noteRemoval(of: change.number, at: change.sequence)
                try tables.remove(change.number)
                continue
            }
            let tape = try JSONTape(scanning: fields, limits: .stored)
            try writer.note(tape, number: change.number, sequence: sequence, storedID: change.storedID)
            try tables.put(fields, of: change.number)
            for (path, _) in TextLeaves(of: tape, for: .facets) where facets.insert(ExactText(path)).inserted {
                try tables.addFacet(path)
            }
            for (path, boost) in boosted(tape)
            where boosts.updateValue(boosts[ExactText(path)] ?? boost, forKey: ExactText(path)) == nil {
                try tables.addBoost(boost, of: path)
            }
        }
        try writer.finish()
    }

    /// Returns the searched fields of a document with their boosts. A boost is the factor by which hits in a field
    /// increase the score. The function may emit different boosts of one field. The index uses only the first of them,
    /// because otherwise the scores of a search could change between two of its pages.
    private static func boosted(_ tape: JSONTape) -> [(path: String, boost: Double)] {
        tape.elements(of: 0).compactMap { field in
            let parts = Array(tape.elements(of: field))
            guard TextFieldUse(rawValue: Int(exactly: tape.double(parts[2]) ?? 0) ?? 0).contains(.words) else {
                return nil
            }
            let boost = parts.count > 3 ? tape.double(parts[3]) ?? 1 : 1
            return (TextPath.normalized(tape.string(parts[0])), boost)
        }
    }

    /// Returns 1 if a document is in an index, and 0 if it is not. Returns `nil` if the index is inconsistent: it
    /// contains the words of the document without its fields, or its fields without its words.
    package static func entryCount(
        of number: Int64, in index: IndexDescription, on connection: SQLiteConnection
    ) throws -> Int? {
        let tables = TextTables(index: index.number, on: connection)
        let hasFields = try FieldTables(tables).fields(of: number) != nil
        guard try (tables.entry(number) != nil) == hasFields else { return nil }
        return hasFields ? 1 : 0
    }

    /// Returns the number of documents in an index.
    package static func count(in index: IndexDescription, on connection: SQLiteConnection) throws -> Int {
        try TextTables(index: index.number, on: connection).count()
    }
}
