//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite
import GodwitSelector
import GodwitStore
import GodwitText

/// An access path that finds documents by the search of a text index, or reads all documents of the index.
struct TextAccess: Sendable {
    let index: IndexDescription
    let definition: TextIndexDefinition
    let query: TextQuery
    /// Whether the search is the complete selector.
    let isExact: Bool
    /// A small part of another index. This part contains all documents that the query can find, so the search is
    /// restricted to them. If the value is `nil`, all documents are searched.
    var within: JSONAccess?

    init(_ index: IndexDescription, _ query: TextQuery, for selector: Selector) throws {
        self.index = index
        definition = try TextIndex.definition(of: index)
        self.query = query
        isExact = selector.normalized == selector.textSearch.map { ["$default": ["$text": $0]] }
    }

    /// Creates an access path for a selector without a `$text`; `nil` if the index does not contain all fields of the
    /// selector, or not all documents that match it. Words do not decide whether values are equal in CouchDB's order,
    /// so every document of the index is tested.
    init?(reading index: IndexDescription, for selector: Selector) throws {
        let definition = try TextIndex.definition(of: index)
        guard !definition.isOfFunctions, !selector.usesText, definition.indexes(selector.fields),
            definition.partialFilter.map({ selector.implies($0) }) ?? true
        else { return nil }
        try self.init(index, .everything, for: selector)
    }

    /// Whether all documents of the index are found.
    var findsAll: Bool { query == .everything }

    /// Returns the numbers of the documents in ``within``, ascending; `nil` when the search is not restricted, or when
    /// the index that ``within`` reads is not complete.
    func candidates(in table: DocumentTable) throws -> [Int64]? {
        guard let within, try table.isComplete(within.index) else { return nil }
        return try within.documentNumbers(in: table)
    }

    /// Returns the search on a connection, for use within a read.
    func search(on connection: SQLiteConnection) throws -> TextSearch {
        try TextSearch(query, in: index, definition, on: connection)
    }
}

extension TextQuery {
    /// Parses the first `$text` of a selector; `nil` when the selector has no `$text`.
    init?(of selector: Selector) throws {
        guard let argument = selector.textSearches.first else { return nil }
        try self.init(argument)
    }

    /// Parses the argument of a `$text`, or of several that are joined.
    private init(_ argument: JSONValue) throws {
        guard let (name, arguments) = argument.objectValue?.first else {
            try self.init(parsing: argument.stringValue ?? argument.jsonText())
            return
        }
        try self.init(
            joining: (arguments.arrayValue ?? []).map { try TextQuery($0) },
            matchesAll: name.isIdenticalText(to: "$and"))
    }
}
