//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore
public import GodwitText

/// A database that can be queried with Mango: on this device (`Datastore`) or on a server (`CouchDatabase`).
///
/// ```swift
/// func long(in trips: some QueryStore) async throws -> [Document] {
///     try await trips.ensureIndex(["km"], named: "by-km", where: nil)
///     return try await trips.find(FindQuery(selector: ["km": ["$gt": 40]], sort: ["km"])).documents
/// }
/// ```
///
/// Servers and datastores differ in two ways. For a sort, a server requires an index and omits documents that do not
/// have the fields of the sort. A datastore needs no index, because it can sort in memory. A datastore returns
/// documents that do not have these fields first in ascending order, and last in descending order. A server other than
/// Godwit may build an index only when a query uses the index for the first time. This query waits until the index is
/// built.
public protocol QueryStore: DocumentStore {
    /// Returns a page of the documents that match a selector.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for an invalid query,
    ///   ``StoreError/Code/notSupported`` when a server has no `_find`.
    func find(_ query: FindQuery) async throws(StoreError) -> FindPage

    /// Returns the indexes that queries can use, starting with the index of all documents.
    func indexes() async throws(StoreError) -> [QueryIndex]

    /// Creates an index of some fields if no equal index exists.
    ///
    /// - Parameters:
    ///   - fields: The fields in the order in which they sort.
    ///   - name: The name of the index and of its design document; `nil` for a generated name.
    ///   - filter: A selector that documents must match to be in the index; `nil` for all documents.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexExists`` when a different index has this name,
    ///   ``StoreError/Code/invalidRequest`` for invalid fields.
    @discardableResult
    func ensureIndex(
        _ fields: [QueryField], named name: String?, where filter: JSONObject?
    ) async throws(StoreError) -> QueryIndex

    /// Creates a text index if no equal index exists.
    ///
    /// - Parameters:
    ///   - fields: The fields whose strings are indexed; `nil` for all strings of the documents.
    ///   - name: The name of the index and of its design document; `nil` for a generated name.
    ///   - analyzer: The analyzer that splits strings into words: `standard`, `english` and so on.
    ///   - filter: A selector that documents must match to be in the index; `nil` for all documents.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexExists`` when a different index has this name,
    ///   ``StoreError/Code/invalidRequest`` for an invalid analyzer or filter.
    @discardableResult
    func ensureTextIndex(
        _ fields: [String]?, named name: String?, analyzer: String, where filter: JSONObject?
    ) async throws(StoreError) -> QueryIndex

    /// Returns a page of the documents that match a text query, the best match first.
    ///
    /// - Parameters:
    ///   - text: The query.
    ///   - index: The name of the text index; `nil` if the database has only one text index. If several indexes have
    ///     the name, write the name of the design document and a slash before it.
    ///   - limit: The maximum number of documents, at most ``TextLimits/searchHitsMax``.
    ///   - bookmark: The ``SearchPage/bookmark`` of the previous page; `nil` for the first page.
    ///   - highlights: The options for highlighted fragments of the matching fields; `nil` for no fragments.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for an invalid query and for a bookmark of
    ///   a different search, ``StoreError/Code/indexNotFound`` when the index does not exist,
    ///   ``StoreError/Code/notSupported`` when a server has no text search.
    func search(
        _ text: String, index: String?, limit: Int, bookmark: String?, highlighting highlights: SearchHighlights?
    ) async throws(StoreError) -> SearchPage

    /// Deletes an index.
    ///
    /// - Parameters:
    ///   - name: The name of the index.
    ///   - designDocument: The name of its design document; `nil` if it equals the name of the index.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexNotFound`` when the index does not exist.
    func deleteIndex(_ name: String, designDocument: String?) async throws(StoreError)
}

extension Datastore: QueryStore {}
