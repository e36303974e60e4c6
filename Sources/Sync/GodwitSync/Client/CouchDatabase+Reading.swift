//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitStore
import GodwitTransport

extension CouchDatabase {
    /// See ``DocumentStore/document(_:)``.
    public func document(_ id: String) async throws(StoreError) -> Document {
        try await read(id, "?att_encoding_info=true")
    }

    /// See ``DocumentStore/document(_:at:)``.
    public func document(_ id: String, at revision: RevisionID) async throws(StoreError) -> Document {
        try await read(id, "?att_encoding_info=true&rev=\(revision.description.percentEncoded)")
    }

    private func read(_ id: String, _ query: String) async throws(StoreError) -> Document {
        let answer = try await json(.document(id), "GET", try path(ofRead: id) + query)
        let document = try answer.document(0, of: url)
        guard document.revision != nil, document.id?.utf8.elementsEqual(id.utf8) == true else {
            throw nonsense("a document has no _id or _rev")
        }
        return document
    }

    /// See ``DocumentStore/object(_:as:)``.
    public func object<Value: DocumentObject>(
        _ id: String, as type: Value.Type = Value.self
    ) async throws(StoreError) -> TypedDocument<Value> {
        try TypedDocument(decoding: await document(id))
    }

    /// See ``DocumentStore/leaves(of:)``.
    public func leaves(of id: String) async throws(StoreError) -> [RevisionID] {
        let answer: JSONTape
        do throws(StoreError) {
            answer = try await json(.document(id), "GET", try path(ofRead: id) + "?conflicts=true")
        } catch {
            guard error.code == .deleted else { throw error }
            return []
        }
        guard answer.kind(0) == .object, let winner = answer.member("_rev", of: 0).flatMap({ answer.revision($0) })
        else { throw nonsense("a document has no _rev") }
        return [winner] + answer.revisions("_conflicts", of: 0)
    }

    /// Returns leaves of a document with their bodies, including deleted leaves (`open_revs`), in the server's order.
    ///
    /// - Parameters:
    ///   - id: The document's id.
    ///   - revisions: The revisions to read. If it is `nil`, all leaves are read. Revisions that the server does not
    ///     have are left out.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if all leaves are requested and the document
    ///   never existed, or if the id is invalid.
    public func openRevisions(
        of id: String, _ revisions: [RevisionID]? = nil
    ) async throws(StoreError) -> [Document] {
        let revisionsText =
            revisions.map { JSONValue.array($0.map { .string($0.description) }).jsonText().percentEncoded } ?? "all"
        let answer = try await json(
            .document(id), "GET", try path(ofRead: id) + "?att_encoding_info=true&open_revs=\(revisionsText)")
        guard answer.kind(0) == .array else { throw nonsense("the response to open_revs is not a list") }
        var documents: [Document] = []
        for entry in answer.elements(of: 0) where answer.kind(entry) == .object {
            guard let document = answer.member("ok", of: entry) else { continue }
            documents.append(try answer.document(document, of: url))
        }
        // An empty list of all leaves means that the document never existed.
        guard revisions != nil || !documents.isEmpty else { throw StoreError.missing(id: id) }
        return documents
    }

    /// Returns the path of a document. Throws ``StoreError`` for an id that no document can have, because the path of
    /// such an id would name another resource.
    private func path(ofRead id: String) throws(StoreError) -> String {
        do throws(StoreError) {
            try DocumentID.check(id, limits: .default)
        } catch {
            throw StoreError.missing(id: id)
        }
        return Peer.path(of: id)
    }
}
