//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitStore

/// One search: which documents, and then the documents themselves slice by slice.
package struct SearchRun: Sendable {
    /// How many documents match.
    package let total: Int
    /// For the next page.
    package let bookmark: String
    /// How many hits this page has.
    package let count: Int
    /// The groups that the hits are of, one behind the other.
    package let groups: [SearchGroup]?
    /// What was counted.
    package let facets: TextFacets.Result?
    private let datastore: Datastore
    private let index: IndexDescription
    /// The fields that are shown; `nil` for all that a function stored.
    private let fields: SearchFields?
    private let highlighter: TextHighlighter?
    private var rest: ArraySlice<SearchReader.Hit>

    /// Finds a page of hits; waits for the index when it is being built.
    ///
    /// - Throws: ``TextError`` or ``QueryError`` for what is wrong with the request, ``SearchIndexError`` for the index, or
    ///   a `StoreError`.
    package init(_ request: SearchRequest, in datastore: Datastore) async throws {
        try request.check()
        let index = try await datastore.searchIndex(request)
        let definition = try TextIndex.definition(of: index)
        let parsed = try TextQuery(parsing: request.text)
        let query = definition.isOfFunctions ? parsed.naming(TextIndexDefinition.defaultField) : parsed
        let fingerprint = request.fingerprint(index)
        let bookmark = try request.bookmark.map { try SearchBookmark($0, for: fingerprint) }
        let reader = { (state: SearchState) in
            SearchReader(
                request: request, query: query, index: index, fingerprint: fingerprint, bookmark: bookmark,
                filter: SearchFilter(request, in: datastore.scope), state: state)
        }
        let page =
            request.readsDocuments
            ? try await datastore.snapshot { try await reader(.held($0)).page() }
            : try await reader(.current(datastore)).page()
        (total, self.bookmark, count, facets) = (page.total, page.bookmark, page.hits.count, page.facets)
        (groups, self.index) = (page.groups, index)
        self.datastore = datastore
        let all: [String]? = definition.isOfFunctions ? nil : definition.fields.map { Self.names(of: $0) } ?? []
        fields = (request.fields ?? all).map { SearchFields($0, for: .stored) }
        highlighter = request.highlight.map { TextHighlighter(query, definition, style: $0) }
        rest = page.hits[...]
    }

    /// A field of several types is one field.
    private static func names(of fields: [TextIndexDefinition.Field]) -> [String] {
        fields.reduce(into: []) { names, field in
            if !names.contains(field.name) { names.append(field.name) }
        }
    }

    /// The next hits with their documents; empty when there are no more.
    package mutating func next() throws(StoreError) -> [FoundHit] {
        guard !rest.isEmpty else { return [] }
        return try datastore.read { table in
            let given = try given(from: table)
            var found: [FoundHit] = []
            var bytes = TextLimits.sliceBytesMax
            while bytes > 0, let hit = rest.popFirst() {
                let id = table.scope.visible(hit.storedID)
                let row = try table.row(id: id).flatMap { $0.winner.isDeleted ? nil : $0 }
                bytes -= row?.body.count ?? 0
                found.append(try self.found(hit, id, row, given))
            }
            return found
        }
    }

    /// The fields that a function gave, where that is what is shown of hits.
    private func given(from table: DocumentTable) throws -> FieldTables? {
        guard index.kind == FieldIndex.kindName, try table.index(index.number) != nil else { return nil }
        return FieldTables(TextTables(index: index.number, on: table.connection))
    }

    private func found(
        _ hit: SearchReader.Hit, _ id: String, _ row: DocumentRow?, _ given: FieldTables?
    ) throws -> FoundHit {
        var found = FoundHit(id: id, score: hit.score, order: hit.order)
        guard let row else { return found }
        found.document = FoundDocument(row: row, projected: nil)
        guard highlighter != nil || fields?.isEmpty != true else { return found }
        let isGiven = index.kind == FieldIndex.kindName
        let body = try isGiven ? given?.fields(of: row.number) : JSONTape(scanning: row.body, limits: .stored)
        guard let tape = body else { return found }
        found.fields = try fields?.object(of: tape) ?? SearchFields.stored(in: tape)
        found.highlights = try highlighter?.fragments(of: tape) ?? [:]
        return found
    }
}

/// A document that a search found.
package struct FoundHit: Sendable {
    package let id: String
    package let score: Double
    /// What it is sorted by.
    package let order: [JSONValue]
    /// The document as it is now; `nil` when it went since it was found.
    package fileprivate(set) var document: FoundDocument?
    /// The values of the fields that were asked for.
    package fileprivate(set) var fields: JSONObject = [:]
    /// Of the fields in which something matches, fragments.
    package fileprivate(set) var highlights: [String: [String]] = [:]
}
