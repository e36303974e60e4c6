//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore
import GodwitText

extension Datastore {
    /// Returns the indexes that queries can use, starting with the index of all documents.
    public func indexes() throws(StoreError) -> [QueryIndex] {
        let queryIndexes = try indexDescriptions().filter { QueryIndex.Kind(rawValue: $0.kind) != nil }
        return [.allDocuments] + queryIndexes.map { QueryIndex($0) }
    }

    /// Creates an index of some fields if no equal index exists. The index is built in the background. Queries use the
    /// index when it is complete, and from then on every write updates it.
    ///
    /// ```swift
    /// try await trips.ensureIndex(["type", .descending("km")], named: "by-type")
    /// ```
    ///
    /// The index is stored in a design document, as in CouchDB, and is replicated with it.
    ///
    /// - Parameters:
    ///   - fields: The fields in the order in which they sort. A query can use an index by its first field alone, by
    ///     its first two fields, and so on.
    ///   - name: The name of the index and of its design document; `nil` for a name derived from the definition.
    ///   - filter: A selector that documents must match to be in the index; `nil` for all documents.
    /// - Returns: The index, which may still be building.
    /// - Throws: ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/indexExists`` when a different index has this name.
    ///   - ``StoreError/Code/invalidRequest`` for invalid fields, or for an invalid filter.
    ///   - ``StoreError/Code/invalidRequest`` when the design document with this name has a language other than
    ///     `query`.
    ///   - ``StoreError/Code/indexNotFound`` when the datastore does not build indexes.
    @discardableResult
    public func ensureIndex(
        _ fields: [QueryField], named name: String? = nil, where filter: JSONObject? = nil
    ) async throws(StoreError) -> QueryIndex {
        do {
            var definitionJSON: JSONObject = ["fields": .array(fields.map(\.json))]
            if let filter { definitionJSON["partial_filter_selector"] = .object(filter) }
            let definition = try JSONIndexDefinition(.object(definitionJSON))
            let request = IndexRequest(
                definition, asWritten: .object(definitionJSON), name: name, designDocument: name)
            return try await ensure(request)
        } catch {
            throw StoreError(query: error, subject: "creating an index of \(self.name)")
        }
    }

    /// Creates a text index of documents, for `$text`, if no equal index exists.
    ///
    /// ```swift
    /// try await trips.ensureTextIndex(["title", "notes"], named: "words", analyzer: "english")
    /// for try await trip in trips.find(["$text": "bodega AND (bay OR harbor*)"]) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - fields: The fields whose strings are indexed, including strings nested in them; `nil` for all fields.
    ///   - name: The name of the index and of its design document; `nil` for a name derived from the definition.
    ///   - analyzer: The analyzer that splits strings into words: `standard`, `simple`, `whitespace`, `keyword`,
    ///     `porter`, or a language such as `english`. A language analyzer reduces words to their stems, and searches
    ///     ignore its stop words. A language analyzer is rejected if the stemming library is not available.
    ///   - filter: A selector that documents must match to be in the index; `nil` for all documents.
    /// - Returns: The index, which may still be building.
    /// - Throws: ``StoreError`` as ``ensureIndex(_:named:where:)``, and with code ``StoreError/Code/invalidRequest``
    ///   for an unknown analyzer.
    @discardableResult
    public func ensureTextIndex(
        _ fields: [String]? = nil, named name: String? = nil, analyzer: String = "standard",
        where filter: JSONObject? = nil
    ) async throws(StoreError) -> QueryIndex {
        do {
            var definitionJSON: JSONObject = ["default_field": ["enabled": true, "analyzer": .string(analyzer)]]
            if let fields {
                definitionJSON["fields"] = .array(fields.map { ["name": .string($0), "type": "string"] })
            }
            if let filter { definitionJSON["partial_filter_selector"] = .object(filter) }
            let definition = try TextIndexDefinition(parsing: .object(definitionJSON))
            return try await ensure(IndexRequest(definition, name: name, designDocument: name))
        } catch {
            throw StoreError(query: error, subject: "creating an index of \(self.name)")
        }
    }

    /// Creates an index if no equal index exists. Throws ``StoreError`` with code ``StoreError/Code/indexExists`` when
    /// a different index has its name, and ``StoreError/Code/indexNotFound`` when the datastore does not build indexes.
    /// Rethrows errors of writing the design document.
    package func ensure(_ request: IndexRequest) async throws -> QueryIndex {
        _ = try await define(request, replacing: false)
        let index = try indexDescriptions().first {
            $0.design.isIdenticalText(to: request.design) && $0.kind.isIdenticalText(to: request.kind.rawValue)
                && $0.name.isIdenticalText(to: request.name)
        }
        guard let index else { throw StoreError(.indexNotFound, "indexes are not built for this database") }
        return QueryIndex(index)
    }

    /// Deletes an index. If indexes of several types have the name, only one of them is deleted. The types are tried in
    /// this order: JSON, text, geospatial.
    ///
    /// - Parameters:
    ///   - name: The name of the index.
    ///   - designDocument: The name of its design document; `nil` if it equals the name of the index.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexNotFound`` when the index does not exist.
    public func deleteIndex(_ name: String, designDocument: String? = nil) async throws(StoreError) {
        for kind in [QueryIndex.Kind.json, .text, .geo] {
            if try await removeIndex(name, kind: kind, designDocument: designDocument ?? name) { return }
        }
        throw StoreError(.indexNotFound, "the database has no index named \(name)")
    }

    // MARK: Design documents

    /// Writes an index into its design document.
    ///
    /// - Parameter replacing: Whether a different index of this name is replaced, as in CouchDB. If `false`, and a
    ///   different index has this name, ``StoreError`` with code ``StoreError/Code/indexExists`` is thrown.
    /// - Returns: `false` when the design document already contained this definition.
    package func define(_ request: IndexRequest, replacing: Bool) async throws -> Bool {
        let indexKinds = indexKinds
        return try await transact { transaction in
            let row = try transaction.documents.row(id: request.design)
            let current = row.flatMap { $0.winner.isDeleted ? nil : $0 }
            if let existingText = current.flatMap({ request.existing(in: $0.body, kinds: indexKinds) }) {
                if existingText == request.text { return false }
                guard replacing else {
                    throw StoreError(
                        .indexExists,
                        "a different index is named \(request.name). Delete it, or choose another name.")
                }
            }
            let stored = try current.map { try JSONValue(parsing: $0.body).objectValue ?? [:] }
            try transaction.replaceDesign(
                request.design, isNew: current == nil, with: try request.added(to: stored))
            return true
        }
    }

    /// Removes an index from its design document, and deletes the design document if it contains nothing but its
    /// language afterwards.
    ///
    /// - Returns: `false` when the index did not exist, or the design document has a language other than `query`.
    package func removeIndex(
        _ name: String, kind: QueryIndex.Kind, designDocument: String
    ) async throws(StoreError) -> Bool {
        let id = DocumentID.designPrefix + DocumentID.designName(designDocument)
        return try await transact { transaction in
            guard let row = try transaction.documents.row(id: id), !row.winner.isDeleted,
                var members = try JSONValue(parsing: row.body).objectValue, members["language"] == "query"
            else { return false }
            let member = IndexRequest.member(of: kind)
            var entries = members[member]?.objectValue ?? [:]
            guard entries[name] != nil else { return false }
            entries[name] = nil
            members[member] = entries.isEmpty ? nil : .object(entries)
            try transaction.replaceDesign(id, isNew: false, with: members.count == 1 ? nil : members)
            return true
        }
    }
}

extension WriteTransaction {
    /// Writes the next revision of a design document, or deletes it if `members` is `nil`.
    fileprivate func replaceDesign(_ id: String, isNew: Bool, with members: JSONObject?) throws {
        guard let members else {
            _ = try delete(document(id))
            return
        }
        guard !isNew else {
            _ = try create(Document(id: id, body: members))
            return
        }
        var design = try document(id)
        design.body = members
        _ = try update(design)
    }
}
