//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitJSON
public import GodwitQuery
public import GodwitStore
public import GodwitText
import GodwitTransport

extension CouchDatabase {
    /// Returns a page of the documents that match a text query, the best match first (`_search`).
    ///
    /// ```swift
    /// try await trips.ensureTextIndex(["title", "notes"], named: "words", analyzer: "english")
    /// for hit in try await trips.search("bodega AND harbor*").hits { print(hit.score, hit.document.id ?? "") }
    /// ```
    ///
    /// A Godwit server follows ``Datastore/search(_:index:limit:bookmark:highlighting:)``. CouchDB and Cloudant use
    /// Lucene, whose syntax is the same only for words, phrases and prefixes.
    ///
    /// - Parameters:
    ///   - text: The query.
    ///   - index: The name of the text index, or `DESIGN/NAME` if several design documents use the name. It can be
    ///     `nil` if there is only one text index.
    ///   - limit: The maximum number of documents, limited by ``TextLimits/searchHitsMax``. A page has fewer documents
    ///     if some of them were deleted during the search.
    ///   - bookmark: The ``SearchPage/bookmark`` of the previous page, to read the next page.
    ///   - highlights: The fragments to return from fields that contain the words of the query; `nil` for none.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for an invalid query,
    ///   ``StoreError/Code/indexNotFound`` if no index has the name or several indexes have it,
    ///   ``StoreError/Code/notSupported`` if the server has no text search.
    public func search(
        _ text: String, index: String? = nil, limit: Int = 25, bookmark: String? = nil,
        highlighting highlights: SearchHighlights? = nil
    ) async throws(StoreError) -> SearchPage {
        let index = try await self.index(index, of: .text, made: "ensureTextIndex")
        let limit = max(0, min(limit, TextLimits.searchHitsMax))
        var body: JSONObject = ["q": .string(text), "limit": .integer(Int64(limit)), "include_docs": true]
        if let bookmark { body["bookmark"] = .string(bookmark) }
        if let highlights {
            body["highlight_fields"] = .array(highlights.fields.map { .string($0) })
            (body["highlight_pre_tag"], body["highlight_post_tag"]) = (
                .string(highlights.before), .string(highlights.after)
            )
            body["highlight_number"] = .integer(Int64(highlights.fragmentsMax))
            body["highlight_size"] = .integer(Int64(highlights.length))
        }
        let path = "_design/\(index.designDocument.percentEncoded)/_search/\(index.name.percentEncoded)"
        let answer = try await mango("POST", path, body: JSONValue.object(body).jsonBytes())
        guard answer.kind(0) == .object, let list = answer.member("rows", of: 0), answer.kind(list) == .array else {
            throw nonsense("_search has no rows")
        }
        var (hits, count): ([SearchHit], Int) = ([], 0)
        for row in answer.elements(of: list) {
            count += 1
            // A document that was deleted since the search has no `doc`.
            guard let document = answer.member("doc", of: row), answer.kind(document) == .object else { continue }
            hits.append(
                SearchHit(
                    document: try answer.document(document, of: url, tellsPacking: false), score: answer.score(of: row),
                    highlights: answer.highlights(of: row)))
        }
        return SearchPage(
            hits: hits, total: answer.count("total_rows", of: 0),
            bookmark: count < limit ? nil : answer.text("bookmark", of: 0))
    }

    /// Returns the index that has a kind and a name. If `name` is `nil`, returns the only index of the kind. Throws
    /// ``StoreError`` if no index matches, or if several indexes match.
    ///
    /// - Parameter methodName: The method that creates such an index, for the error.
    package func index(
        _ name: String?, of kind: QueryIndex.Kind, made methodName: String
    ) async throws(StoreError) -> QueryIndex {
        let indexesOfKind = try await indexes().filter { $0.kind == kind }
        let matching = indexesOfKind.filter {
            index in
            name.map { [index.name, "\(index.designDocument)/\(index.name)"].contains(where: $0.isIdenticalText) }
                ?? true
        }
        guard matching.count == 1 else {
            let names = indexesOfKind.map { "\($0.designDocument)/\($0.name)" }.joined(separator: ", ")
            throw StoreError(
                .indexNotFound,
                names.isEmpty
                    ? "\(url) has no \(kind.rawValue) index. Create one with \(methodName)."
                    : "\(url) has no \(kind.rawValue) index \(name ?? ""), or several. Name one of: \(names).")
        }
        return matching[0]
    }

    /// Creates a text index if no equal index exists. See ``Datastore/ensureTextIndex(_:named:analyzer:where:)``.
    ///
    /// - Parameters:
    ///   - fields: The fields whose texts are indexed. If it is `nil`, all texts of the documents are indexed.
    ///   - name: The name of the index and of its design document. If it is `nil`, the server generates one.
    ///   - analyzer: The analyzer that divides texts into words, such as `standard` or `english`.
    ///   - filter: A selector that documents in the index must match. If it is `nil`, the index has all documents.
    /// - Throws: ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/indexExists`` if a text index with this name has other fields or another analyzer.
    ///   - ``StoreError/Code/indexExists`` if a text index has this name, and one of the two indexes has a filter and
    ///     the other has none.
    ///   - ``StoreError/Code/invalidRequest`` for an invalid analyzer or filter.
    ///   - ``StoreError/Code/notSupported`` if the server has no `_index`.
    @discardableResult
    public func ensureTextIndex(
        _ fields: [String]? = nil, named name: String? = nil, analyzer: String = "standard",
        where filter: JSONObject? = nil
    ) async throws(StoreError) -> QueryIndex {
        var definition: JSONObject = ["default_field": ["enabled": true, "analyzer": .string(analyzer)]]
        if let fields {
            definition["fields"] = .array(fields.map { ["name": .string($0), "type": "string"] })
        }
        if let filter { definition["partial_filter_selector"] = .object(filter) }
        return try await ensure(definition, .text, named: name) { existing in
            let names = existing.definition["fields"]?.arrayValue?.compactMap { $0.objectValue?.keys.first } ?? []
            return names.elementsEqual(fields ?? [], by: { $0.isIdenticalText(to: $1) })
                && existing.definition["default_field"] == definition["default_field"]
                && (existing.definition["partial_filter_selector"] != nil) == (filter != nil)
        }
    }
}

extension JSONTape {
    /// The score of a row of `_search`: the first element of the member `order`.
    fileprivate func score(of row: Int) -> Double { list("order", of: row).first.flatMap { double($0) } ?? 0 }

    fileprivate func highlights(of row: Int) -> SearchHit.Highlights {
        guard let highlightsIndex = member("highlights", of: row), let members = try? value(highlightsIndex).objectValue
        else {
            return [:]
        }
        var highlights: [ExactText: [String]] = [:]
        for (field, fragments) in members where fragments.arrayValue?.isEmpty == false {
            highlights[ExactText(field)] = fragments.arrayValue?.compactMap(\.stringValue)
        }
        return SearchHit.Highlights(highlights)
    }
}
