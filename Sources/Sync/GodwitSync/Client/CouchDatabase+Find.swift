//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitJSON
public import GodwitQuery
public import GodwitStore
import GodwitTransport

extension CouchDatabase: QueryStore {
    /// Finds documents by a selector (`_find`). If the query names fields, the documents have no revision and no
    /// attachments.
    ///
    /// ```swift
    /// var query = FindQuery(selector: ["km": ["$gt": 40]], limit: 100)
    /// repeat {
    ///     let page = try await trips.find(query)
    ///     for trip in page.documents { print(trip.id ?? "") }
    ///     query.bookmark = page.documents.count < query.limit ? nil : page.bookmark
    /// } while query.bookmark != nil
    /// ```
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notSupported`` if the server has no `_find`,
    ///   ``StoreError/Code/invalidRequest`` if the server does not accept the selector, or if no index supports the
    ///   sort order.
    public func find(_ query: FindQuery) async throws(StoreError) -> FindPage {
        let answer = try await mango("POST", "_find", body: query.json.jsonBytes())
        guard answer.kind(0) == .object, let list = answer.member("docs", of: 0), answer.kind(list) == .array else {
            throw nonsense("_find has no docs")
        }
        var documents: [Document] = []
        for index in answer.elements(of: list) {
            // A response of `_find`, unlike other responses, does not say which attachments the server stores
            // compressed.
            let document = try answer.document(index, of: url, tellsPacking: false)
            documents.append(query.fields == nil ? document : document.withoutRevision)
        }
        let text = { (name: StaticString) in answer.text(name, of: 0).isEmpty ? nil : answer.text(name, of: 0) }
        return FindPage(documents: documents, bookmark: text("bookmark"), warning: text("warning"))
    }

    /// Returns the indexes that `find` can use.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notSupported`` when the server has no `_index`.
    public func indexes() async throws(StoreError) -> [QueryIndex] {
        let answer = try await mango("GET", "_index")
        guard answer.kind(0) == .object, answer.member("indexes", of: 0) != nil else {
            throw nonsense("_index has no indexes")
        }
        do {
            return try answer.list("indexes", of: 0).map { try QueryIndex(answer, $0) }
        } catch {
            throw nonsense("an index in _index cannot be read")
        }
    }

    /// Creates an index of fields if no equal index exists.
    ///
    /// - Parameters:
    ///   - fields: The fields, the most significant first. CouchDB requires one direction for all fields.
    ///   - name: The name of the index and of its design document. If it is `nil`, the server generates one.
    ///   - filter: A selector that documents in the index must match. If it is `nil`, the index has all documents.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notSupported`` if the server has no `_index`, and with code
    ///   ``StoreError/Code/indexExists`` if an index with this name has other fields, or if one of the two indexes has
    ///   a filter and the other has none. If both indexes have filters, this method does not compare the filters.
    ///   Instead, the server decides whether the existing index is replaced.
    @discardableResult
    public func ensureIndex(
        _ fields: [QueryField], named name: String? = nil, where filter: JSONObject? = nil
    ) async throws(StoreError) -> QueryIndex {
        var definition: JSONObject = ["fields": .array(fields.map(\.json))]
        if let filter { definition["partial_filter_selector"] = .object(filter) }
        return try await ensure(definition, .json, named: name) { existing in
            existing.fields == fields && (existing.definition["partial_filter_selector"] != nil) == (filter != nil)
        }
    }

    /// Creates an index if no equal index has this name. Throws ``StoreError`` if a different index has this name, or
    /// the request fails.
    package func ensure(
        _ definition: JSONObject, _ kind: QueryIndex.Kind, named name: String?, isSame: (QueryIndex) -> Bool
    ) async throws(StoreError) -> QueryIndex {
        if let name {
            let existing = try await indexes().first { $0.isNamed(name, kind, in: name) }
            guard existing.map(isSame) ?? true else {
                throw StoreError(
                    .indexExists, "\(url) has a different index named \(name). Delete it, or choose another name.")
            }
        }
        var body: JSONObject = ["index": .object(definition), "type": .string(kind.rawValue)]
        if let name { (body["name"], body["ddoc"]) = (.string(name), .string(name)) }
        let answer = try await mango("POST", "_index", body: JSONValue.object(body).jsonBytes())
        let (createdName, design) = (answer.text("name", of: 0), DocumentID.designName(answer.text("id", of: 0)))
        let index = try await indexes().first { $0.isNamed(createdName, kind, in: design) }
        guard let index else {
            throw nonsense("_index does not list the created index")
        }
        return index
    }

    /// Deletes a JSON index, or a text index if no JSON index has the name.
    ///
    /// - Parameters:
    ///   - name: The name of the index.
    ///   - designDocument: The name of its design document; `nil` if it equals the name of the index.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexNotFound`` if no JSON or text index has this name.
    public func deleteIndex(_ name: String, designDocument: String? = nil) async throws(StoreError) {
        for kind in [QueryIndex.Kind.json, .text] {
            let path = "_index/\((designDocument ?? name).percentEncoded)/\(kind.rawValue)/\(name.percentEncoded)"
            let answer = try await send("DELETE", path)
            guard answer.status != 404 || Peer.isDatabaseMissing(answer) else { continue }
            _ = try tape(answer, .other("deleting an index"))
            return
        }
        throw StoreError(.indexNotFound, "\(url) has no index \(name)")
    }

    /// Sends a Mango request. A server that does not support Mango treats the path as the id of a document.
    package func mango(_ method: String, _ path: String, body: [UInt8]? = nil) async throws(StoreError) -> JSONTape {
        let answer = try await send(method, path, body: body)
        guard answer.status != 404 || Peer.isDatabaseMissing(answer) else {
            throw StoreError(.notSupported, "\(url) has no \(path)")
        }
        return try tape(answer, .other(path))
    }
}

extension QueryIndex {
    /// Reads an index from a row of `_index`.
    fileprivate init(_ answer: JSONTape, _ index: Int) throws(JSONError) {
        let definition = try answer.member("def", of: index).map { (definitionIndex) throws(JSONError) in
            try answer.value(definitionIndex)
        }
        let members = definition?.objectValue ?? [:]
        self.init(
            designDocument: DocumentID.designName(answer.text("ddoc", of: index)), name: answer.text("name", of: index),
            kind: Kind(rawValue: answer.text("type", of: index)) ?? .special,
            fields: members["fields"].flatMap { try? QueryField.list($0) } ?? [], definition: members)
    }
}

extension Document {
    fileprivate var withoutRevision: Document {
        Document(id: id, revision: nil, isDeleted: false, body: body, attachments: [:])
    }
}

extension QueryIndex {
    /// Whether the index has this name and type, in the design document with this name.
    fileprivate func isNamed(_ name: String, _ kind: Kind, in design: String) -> Bool {
        self.kind == kind && self.name.isIdenticalText(to: name)
            && designDocument.isIdenticalText(to: design)
    }
}
