//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Godwit

/// The kind of an index.
///
/// Origin: `CDTQIndexType`. New: ``GodwitQuery/QueryIndex/Kind``.
@available(*, deprecated, message: "Use QueryIndex.Kind.")
public enum CDTQIndexType: String, Sendable {
    /// An index of values.
    ///
    /// Origin: `CDTQIndexTypeJSON`. New: ``GodwitQuery/QueryStore/ensureIndex(_:named:where:)``.
    case json
    /// An index of words.
    ///
    /// Origin: `CDTQIndexTypeText`. New: ``GodwitQuery/QueryStore/ensureTextIndex(_:named:analyzer:where:)``.
    case text
}

@available(*, deprecated)
extension CDTDatastore {
    /// Whether text indexes can be created. Always `true`.
    ///
    /// Origin: `isTextSearchEnabled`. New: none.
    public var isTextSearchEnabled: Bool { true }

    /// Returns a dictionary of all indexes. Its keys are the names of the indexes, and its values contain the `name`,
    /// the `type` and the `fields` of an index. If the indexes cannot be read, the dictionary is empty.
    ///
    /// Origin: `listIndexes`. New: ``GodwitQuery/QueryStore/indexes()``.
    @available(*, deprecated, message: "Use QueryStore.indexes().")
    public func listIndexes() -> [String: [String: Any]] {
        let store = store
        let indexes = ((try? store.indexes()) ?? []).filter { $0.kind != .special }
        return Dictionary(
            indexes.map { index in
                let info: [String: Any] = [
                    "name": index.name, "type": index.kind == .text ? "text" : "json",
                    "fields": index.fields.map(\.name),
                ]
                return (index.name, info)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Creates an index with a name that is generated from its definition. If an index with this name and definition
    /// exists, it is not created again. The fields `_id` and `_rev` are left out.
    ///
    /// - Returns: The name; `nil` if the fields are invalid or the index cannot be created.
    ///
    /// Origin: `ensureIndexed:`. New: ``GodwitQuery/QueryStore/ensureIndex(_:named:where:)``.
    @available(*, deprecated, message: "Use QueryStore.ensureIndex(_:named:where:).")
    @discardableResult
    public func ensureIndexed(_ fieldNames: [String]) -> String? { ensureIndexed(fieldNames, name: nil, .json, [:]) }

    /// Creates an index with a name. If an index with this name and definition exists, it is not created again. The
    /// fields `_id` and `_rev` are left out.
    ///
    /// - Returns: The name; `nil` if the fields are invalid, another index has the name, or the index cannot be
    ///   created.
    ///
    /// Origin: `ensureIndexed:withName:`. New: ``GodwitQuery/QueryStore/ensureIndex(_:named:where:)``.
    @available(*, deprecated, message: "Use QueryStore.ensureIndex(_:named:where:).")
    @discardableResult
    public func ensureIndexed(_ fieldNames: [String], withName name: String) -> String? {
        ensureIndexed(fieldNames, name: name, .json, [:])
    }

    /// Creates an index of values or of words, with a name. If an index with this name and definition exists, it is not
    /// created again. The fields `_id` and `_rev` are left out.
    ///
    /// - Parameter settings: The settings of a text index: the key `tokenize` with the value `simple` or `porter`.
    /// - Returns: The name; `nil` if the fields are invalid, another index has the name, or the index cannot be
    ///   created.
    ///
    /// Origin: `ensureIndexed:withName:ofType:settings:`. New:
    /// ``GodwitQuery/QueryStore/ensureTextIndex(_:named:analyzer:where:)``.
    @available(*, deprecated, message: "Use QueryStore.ensureTextIndex(_:named:analyzer:where:).")
    @discardableResult
    public func ensureIndexed(
        _ fieldNames: [String], withName name: String, ofType type: CDTQIndexType, settings: [String: String] = [:]
    ) -> String? { ensureIndexed(fieldNames, name: name, type, settings) }

    private func ensureIndexed(
        _ fieldNames: [String], name: String?, _ type: CDTQIndexType, _ settings: [String: String]
    ) -> String? {
        let names = fieldNames.filter { $0 != "_id" && $0 != "_rev" }
        guard !names.isEmpty, Set(names).count == names.count else { return nil }
        let store = store
        let isPorter = settings["tokenize"]?.utf8.starts(with: "porter".utf8) ?? false
        return try? Blocking.run {
            switch type {
            case .json: try await store.ensureIndex(names.map { .ascending($0) }, named: name, where: nil).name
            case .text:
                try await store.ensureTextIndex(
                    names, named: name, analyzer: isPorter ? "english" : "standard", where: nil
                ).name
            }
        }
    }

    /// Deletes an index.
    ///
    /// - Returns: Whether the index was deleted; `false` if it did not exist or could not be deleted.
    ///
    /// Origin: `deleteIndexNamed:`. New: ``GodwitQuery/QueryStore/deleteIndex(_:designDocument:)``.
    @available(*, deprecated, message: "Use QueryStore.deleteIndex(_:designDocument:).")
    @discardableResult
    public func deleteIndexNamed(_ name: String) -> Bool {
        let store = store
        return (try? Blocking.run { try await store.deleteIndex(name, designDocument: nil) }) != nil
    }

    /// Returns `true`: every write updates the indexes.
    ///
    /// Origin: `updateAllIndexes`. New: none.
    @available(*, deprecated, message: "Remove the call: every write updates the indexes.")
    @discardableResult
    public func updateAllIndexes() -> Bool { true }

    /// Finds documents by a selector.
    ///
    /// - Returns: The result; `nil` if the query is invalid or the first page cannot be read.
    ///
    /// Origin: `find:`. New: ``GodwitQuery/QueryStore/find(_:)``.
    @available(*, deprecated, message: "Use QueryStore.find(_:).")
    public func find(_ query: [String: Any]) -> CDTQResultSet? {
        find(query, skip: 0, limit: 0, fields: nil, sort: nil)
    }

    /// Finds documents by a selector.
    ///
    /// - Parameters:
    ///   - query: The selector, with Mango's semantics: see the guide for the differences.
    ///   - skip: The number of documents to skip at the beginning.
    ///   - limit: The maximum number of documents. If it is 0 or less, all documents are returned.
    ///   - fields: The members of the results, to which `_id` is added; `nil` or an empty list for complete documents.
    ///   - sort: The order: `[["name": "asc"], ["age": "desc"]]`.
    /// - Returns: The result; `nil` if the query is invalid or the first page cannot be read.
    ///
    /// Origin: `find:skip:limit:fields:sort:`. New: ``GodwitQuery/QueryStore/find(_:)``.
    @available(*, deprecated, message: "Use QueryStore.find(_:).")
    public func find(
        _ query: [String: Any], skip: Int, limit: Int, fields: [String]?, sort: [[String: String]]?
    ) -> CDTQResultSet? {
        guard let selector = FoundationValues.object(query) else { return nil }
        var find = FindQuery(selector: selector)
        if let fields, !fields.isEmpty { find.fields = fields + ["_id"] }
        for field in sort ?? [] {
            guard let (name, direction) = field.first, field.count == 1,
                ["asc", "desc"].contains(direction.lowercased())
            else { return nil }
            find.sort.append(direction.lowercased() == "desc" ? .descending(name) : .ascending(name))
        }
        return CDTQResultSet(store, find, skip: max(0, skip), limit: limit > 0 ? limit : .max)
    }
}

/// The result of a query.
///
/// Origin: `CDTQResultSet`. New: ``GodwitQuery/FindPage``.
@available(*, deprecated, message: "Use FindPage.")
public final class CDTQResultSet {
    private static let pageCount = 200

    private let store: Datastore
    private let query: FindQuery
    private let skip: Int
    private let limit: Int
    private var firstPage: FindPage?

    /// Reads the first page; `nil` if the query is invalid or the page cannot be read.
    init?(_ store: Datastore, _ query: FindQuery, skip: Int, limit: Int) {
        (self.store, self.query, self.skip, self.limit) = (store, query, skip, limit)
        guard let page = try? page(after: nil) else { return nil }
        firstPage = page
    }

    private func page(after bookmark: String?) throws -> FindPage {
        var query = query
        (query.limit, query.bookmark) = (CDTQResultSet.pageCount, bookmark)
        let (store, pageQuery) = (store, query)
        return try Blocking.run { try await store.find(pageQuery) }
    }

    /// The ids of all documents of the result. If a page of the result cannot be read, the later ids are absent.
    ///
    /// Origin: `documentIds`. New: the ids of ``GodwitQuery/FindPage/documents``.
    public var documentIds: [String] {
        var ids: [String] = []
        enumerateObjectsUsingBlock { revision, _, _ in revision.docId.map { ids.append($0) } }
        return ids
    }

    /// Calls a closure for each document except design documents. The documents are read page by page. If a page
    /// cannot be read, the enumeration ends early, without an error.
    ///
    /// - Parameter block: A closure that gets the document, the position of the document in the result, and a reference
    ///   to a Boolean. If the closure sets the Boolean to `true`, the enumeration ends.
    ///
    /// Origin: `enumerateObjectsUsingBlock:`. New: a loop over the pages of ``GodwitQuery/QueryStore/find(_:)``.
    public func enumerateObjectsUsingBlock(
        _ block: (_ revision: CDTDocumentRevision, _ index: Int, _ stop: inout Bool) -> Void
    ) {
        var (index, position, stop) = (0, 0, false)
        var next = firstPage
        while let page = next {
            for document in page.documents where CDTDatastore.isShown(document.id ?? "") {
                defer { position += 1 }
                guard position >= skip else { continue }
                guard index < limit else { return }
                let revision = CDTDocumentRevision(document, of: store)
                revision.isFullRevision = query.fields == nil
                block(revision, index, &stop)
                if stop { return }
                index += 1
            }
            guard page.documents.count == CDTQResultSet.pageCount, let bookmark = page.bookmark else { return }
            next = try? self.page(after: bookmark)
        }
    }
}
