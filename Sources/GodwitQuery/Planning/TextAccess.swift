//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite
import GodwitSelector
import GodwitStore
import GodwitText

/// A text index with the search of a query.
struct TextAccess: Sendable {
    let index: IndexDescription
    let definition: TextIndexDefinition
    let query: TextQuery
    /// Whether the search is all that the selector says.
    let isExact: Bool
    /// The part of another index in which all documents are that the query wants, where it is small.
    var within: JSONAccess?

    init(_ index: IndexDescription, _ query: TextQuery, for selector: Selector) throws {
        self.index = index
        definition = try TextIndex.definition(of: index)
        self.query = query
        isExact = selector.normalized == selector.textSearch.map { ["$default": ["$text": $0]] }
    }

    /// The numbers of the documents that ``within`` leaves, ascending; `nil` where it leaves all.
    func candidates(in table: DocumentTable) throws -> [Int64]? {
        guard let within, try table.isComplete(within.index) else { return nil }
        return try within.documentNumbers(in: table)
    }

    /// The search on a connection, within a read.
    func search(on connection: SQLiteConnection) throws -> TextSearch {
        try TextSearch(query, in: index, definition, on: connection)
    }
}

extension TextQuery {
    /// The query of a selector's `$text`; `nil` when it has none.
    init?(of selector: Selector) throws {
        guard let argument = selector.textSearches.first else { return nil }
        try self.init(parsing: argument.stringValue ?? argument.jsonText())
    }
}
