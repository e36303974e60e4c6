//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore
import GodwitText

extension Datastore {
    /// The indexes that queries may use, that of all documents first.
    public func indexes() throws(StoreError) -> [QueryIndex] {
        let own = try indexDescriptions().filter { QueryIndex.Kind(rawValue: $0.kind) != nil }
        return [.allDocuments] + own.map { QueryIndex($0) }
    }

    /// Makes an index of some fields, if there is none like it. It is built in the background and used once it is
    /// complete; then every write keeps it.
    ///
    /// ```swift
    /// try await trips.ensureIndex(["type", .descending("km")], named: "by-type")
    /// ```
    ///
    /// The index lies in a design document, as CouchDB's do, and is replicated with it.
    ///
    /// - Parameters:
    ///   - fields: The fields, the first one deciding. Queries can use the first one, the first two, and so on.
    ///   - name: Its name and that of its design document; made up of the definition when it is `nil`.
    ///   - filter: Only documents that meet this selector are in the index; all when it is `nil`.
    /// - Returns: The index, which may be building.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexExists`` when another index has this name,
    ///   ``StoreError/Code/invalidRequest`` for fields that cannot be.
    @discardableResult
    public func ensureIndex(
        _ fields: [QueryField], named name: String? = nil, where filter: JSONObject? = nil
    ) async throws(StoreError) -> QueryIndex {
        do {
            var written: JSONObject = ["fields": .array(fields.map(\.json))]
            if let filter { written["partial_filter_selector"] = .object(filter) }
            let definition = try JSONIndexDefinition(.object(written))
            let request = IndexRequest(
                definition, asWritten: .object(written), name: name, designDocument: name)
            return try await ensure(request)
        } catch {
            throw StoreError(query: error, subject: "making an index of \(self.name)")
        }
    }

    /// Makes an index of the words of documents, for `$text`, if there is none like it.
    ///
    /// ```swift
    /// try await trips.ensureTextIndex(["title", "notes"], named: "words", analyzer: "english")
    /// for try await trip in trips.find(["$text": "bodega AND (bay OR harbor*)"]) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - fields: The fields whose texts are indexed, with what lies within them; all when it is `nil`.
    ///   - name: Its name and that of its design document; made up of the definition when it is `nil`.
    ///   - analyzer: How texts are taken apart: `standard`, `simple`, `whitespace`, `keyword`, `porter`, or a language such
    ///     as `english`, whose words are reduced to their stems, and whose stop words searches leave out. Where the library is
    ///     missing that reduces them, it is refused.
    ///   - filter: Only documents that meet this selector are in the index; all when it is `nil`.
    /// - Returns: The index, which may be building.
    /// - Throws: ``StoreError`` as ``ensureIndex(_:named:where:)`` does.
    @discardableResult
    public func ensureTextIndex(
        _ fields: [String]? = nil, named name: String? = nil, analyzer: String = "standard",
        where filter: JSONObject? = nil
    ) async throws(StoreError) -> QueryIndex {
        do {
            var written: JSONObject = ["default_field": ["enabled": true, "analyzer": .string(analyzer)]]
            if let fields {
                written["fields"] = .array(fields.map { ["name": .string($0), "type": "string"] })
            }
            if let filter { written["partial_filter_selector"] = .object(filter) }
            let definition = try TextIndexDefinition(parsing: .object(written))
            return try await ensure(IndexRequest(definition, name: name, designDocument: name))
        } catch {
            throw StoreError(query: error, subject: "making an index of \(self.name)")
        }
    }

    /// Makes an index unless another one has its name.
    package func ensure(_ request: IndexRequest) async throws -> QueryIndex {
        _ = try await define(request, replacing: false)
        let made = try indexDescriptions().first {
            $0.design == request.design && $0.kind == request.kind.rawValue && $0.name == request.name
        }
        guard let made else { throw StoreError(.indexNotFound, "indexes are not built here") }
        return QueryIndex(made)
    }

    /// Removes an index.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - designDocument: Its design document; the same as its name when it is `nil`.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexNotFound`` when there is none.
    public func deleteIndex(_ name: String, designDocument: String? = nil) async throws(StoreError) {
        for kind in [QueryIndex.Kind.json, .text, .geo] {
            if try await removeIndex(name, kind: kind, designDocument: designDocument ?? name) { return }
        }
        throw StoreError(.indexNotFound, "there is no index named \(name)")
    }

    // MARK: Design documents

    /// Writes an index into its design document.
    ///
    /// - Parameter replacing: Whether another index of this name gives way, as in CouchDB.
    /// - Returns: Whether it is new.
    package func define(_ request: IndexRequest, replacing: Bool) async throws -> Bool {
        let indexKinds = indexKinds
        return try await transact { transaction in
            let row = try transaction.documents.row(id: request.design)
            let old = row.flatMap { $0.winner.isDeleted ? nil : $0 }
            if let known = old.flatMap({ request.existing(in: $0.body, kinds: indexKinds) }) {
                if known == request.text { return false }
                guard replacing else {
                    throw StoreError(
                        .indexExists,
                        "there is another index named \(request.name). Delete it, or take another name.")
                }
            }
            var members = try old.map { try JSONValue(parsing: $0.body).objectValue ?? [:] } ?? [:]
            try request.write(to: &members)
            try transaction.replaceDesign(request.design, isNew: old == nil, with: members)
            return true
        }
    }

    /// Takes an index out of its design document, which goes when it has no other.
    ///
    /// - Returns: Whether there was one.
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
    /// Writes a design document's next revision, or deletes it.
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
