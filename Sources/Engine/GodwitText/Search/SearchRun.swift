//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
package import GodwitJSON
package import GodwitStore

/// The execution of one search: finds the hits of a page, then reads their documents in slices.
package struct SearchRun: Sendable {
    /// The number of documents that match.
    package let total: Int
    /// The bookmark for the next page.
    package let bookmark: String
    /// The number of hits of this page.
    package let count: Int
    /// The groups of the hits, in the order of the hits; `nil` without a grouping.
    package let groups: [SearchGroup]?
    /// The counts of values; `nil` if the request counts no values.
    package let facets: TextFacets.Result?
    private let datastore: Datastore
    private let index: IndexDescription
    /// The fields to return; `nil` for all fields that a function stored.
    private let fields: SearchFields?
    private let highlighter: TextHighlighter?
    private var rest: ArraySlice<SearchReader.Hit>

    /// Finds a page of hits, after waiting for the index if it is being built.
    ///
    /// - Throws: ``TextError`` for an invalid request, ``SearchIndexError`` for an index that cannot be searched, the
    ///   error of the index's function, or a `StoreError`.
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
            ? try await Snapshot.repeatingIfExpired {
                try await datastore.snapshot { try await reader(.held($0)).page() }
            }
            : try await reader(.current(datastore)).page()
        (total, self.bookmark, count, facets) = (page.total, page.bookmark, page.hits.count, page.facets)
        (groups, self.index) = (page.groups, index)
        self.datastore = datastore
        let defaultFields: [String]? =
            definition.isOfFunctions ? nil : definition.fields.map { Self.names(of: $0) } ?? []
        fields = (request.fields ?? defaultFields).map { SearchFields($0, for: .stored) }
        highlighter = request.highlight.map { TextHighlighter(query, definition, style: $0) }
        rest = page.hits[...]
    }

    /// Returns the distinct names of fields. A field of several types is included once.
    private static func names(of fields: [TextIndexDefinition.Field]) -> [String] {
        fields.reduce(into: []) { names, field in
            if !names.contains(where: field.name.isIdenticalText) { names.append(field.name) }
        }
    }

    /// Returns the next hits with their documents; empty when no more hits exist.
    package mutating func next() throws(StoreError) -> [FoundHit] {
        guard !rest.isEmpty else { return [] }
        return try datastore.read { table in
            let emittedTable = try emittedTable(from: table)
            var found: [FoundHit] = []
            var bytes = TextLimits.sliceBytesMax
            while bytes > 0, let hit = rest.popFirst() {
                let id = table.scope.visible(hit.storedID)
                let row = try table.row(id: id).flatMap { $0.winner.isDeleted ? nil : $0 }
                bytes -= row?.body.count ?? 0
                found.append(try self.found(hit, id, row, emittedTable))
            }
            return found
        }
    }

    /// Returns the table of the fields that a function emitted, which are returned with hits; `nil` for Mango's
    /// indexes.
    private func emittedTable(from table: DocumentTable) throws -> FieldTables? {
        guard index.kind == FieldIndex.kindName, try table.index(index.number) != nil else { return nil }
        return FieldTables(TextTables(index: index.number, on: table.connection))
    }

    private func found(
        _ hit: SearchReader.Hit, _ id: String, _ row: DocumentRow?, _ emittedTable: FieldTables?
    ) throws -> FoundHit {
        var found = FoundHit(id: id, score: hit.score, order: hit.order)
        guard let row else { return found }
        found.document = FoundDocument(row: row, projected: nil)
        guard highlighter != nil || fields?.isEmpty != true else { return found }
        let isOfFunctions = index.kind == FieldIndex.kindName
        let body =
            try isOfFunctions ? emittedTable?.fields(of: row.number) : JSONTape(scanning: row.body, limits: .stored)
        guard let tape = body else { return found }
        found.fields = try fields?.object(of: tape) ?? SearchFields.stored(in: tape)
        found.highlights = try highlighter?.fragments(of: tape) ?? [:]
        return found
    }
}

/// A document that a search found.
package struct FoundHit: Sendable {
    /// The document's id in the scope of the search.
    package let id: String
    /// The relevance (BM25). Scores are comparable within one search only.
    package let score: Double
    /// The sort values.
    package let order: [JSONValue]
    /// The current document, which may have been edited since it was found; `nil` when it has been deleted since.
    package fileprivate(set) var document: FoundDocument?
    /// The values of the requested fields.
    package fileprivate(set) var fields: JSONObject = [:]
    /// The fragments of the highlighted fields that match.
    package fileprivate(set) var highlights: [ExactText: [String]] = [:]
}
