//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore
public import GodwitText

/// Documents that can be looked for with Mango, on this disk (`Datastore`) or on a server (`CouchDatabase`).
///
/// ```swift
/// func long(in trips: some QueryStore) async throws -> [Document] {
///     try await trips.ensureIndex(["km"], named: "by-km", where: nil)
///     return try await trips.find(FindQuery(selector: ["km": ["$gt": 40]], sort: ["km"])).documents
/// }
/// ```
///
/// Two things differ. A server wants an index for a sort, and leaves out documents that lack its fields; a datastore sorts
/// in memory where it has none, and they come first. And a server other than Godwit may build an index only when a query
/// first asks for it, which waits.
public protocol QueryStore: DocumentStore {
    /// A page of the documents that meet a selector.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for what cannot be asked,
    ///   ``StoreError/Code/notSupported`` when a server has no `_find`.
    func find(_ query: FindQuery) async throws(StoreError) -> FindPage

    /// The indexes that queries may use, that of all documents first.
    func indexes() async throws(StoreError) -> [QueryIndex]

    /// Makes an index of some fields, if there is none like it.
    ///
    /// - Parameters:
    ///   - fields: The fields, the first one deciding.
    ///   - name: Its name and that of its design document; made up when it is `nil`.
    ///   - filter: Only documents that meet this selector are in the index; all when it is `nil`.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexExists`` when another index has this name,
    ///   ``StoreError/Code/invalidRequest`` for fields that cannot be.
    @discardableResult
    func ensureIndex(
        _ fields: [QueryField], named name: String?, where filter: JSONObject?
    ) async throws(StoreError) -> QueryIndex

    /// Makes a text index, if there is none like it.
    ///
    /// - Parameters:
    ///   - fields: The fields whose texts are searched; all texts of the documents when it is `nil`.
    ///   - name: Its name and that of its design document; made up when it is `nil`.
    ///   - analyzer: How texts are taken apart: `standard`, `english` and so on.
    ///   - filter: Only documents that meet this selector are in the index; all when it is `nil`.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexExists`` when another index has this name,
    ///   ``StoreError/Code/invalidRequest`` for an analyzer or a filter that cannot be.
    @discardableResult
    func ensureTextIndex(
        _ fields: [String]?, named name: String?, analyzer: String, where filter: JSONObject?
    ) async throws(StoreError) -> QueryIndex

    /// A page of the documents that match a text query, the best first.
    ///
    /// - Parameters:
    ///   - text: The query.
    ///   - index: The name of the text index, behind that of its design document and a slash where several have the name;
    ///     `nil` where there is only one.
    ///   - limit: At most so many documents, and never more than ``TextLimits/searchHitsMax``.
    ///   - bookmark: Where to go on: ``SearchPage/bookmark`` of the page before.
    ///   - highlights: What is shown of the fields in which the words are; nothing when it is `nil`.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for a query that cannot be read and for a
    ///   bookmark of another search, ``StoreError/Code/indexNotFound`` when there is no such index,
    ///   ``StoreError/Code/notSupported`` when a server has no search.
    func search(
        _ text: String, index: String?, limit: Int, bookmark: String?, highlighting highlights: SearchHighlights?
    ) async throws(StoreError) -> SearchPage

    /// Removes an index.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - designDocument: Its design document; the same as its name when it is `nil`.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexNotFound`` when there is none.
    func deleteIndex(_ name: String, designDocument: String?) async throws(StoreError)
}

extension Datastore: QueryStore {}
