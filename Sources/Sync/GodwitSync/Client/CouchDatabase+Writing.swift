//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitStore
import GodwitTransport

extension CouchDatabase {
    /// See ``DocumentStore/create(_:)``.
    public func create(_ document: Document) async throws(StoreError) -> Document {
        try await save(document, as: .create(document))
    }

    /// See ``DocumentStore/update(_:)``.
    public func update(_ document: Document) async throws(StoreError) -> Document {
        try await save(document, as: .update(document))
    }

    private func save(_ document: Document, as edit: DocumentEdit) async throws(StoreError) -> Document {
        let written = try await put(try await outgoing(edit))
        guard document.attachments.isEmpty else { return try await self.document(written.id, at: written.revision) }
        return Document(
            id: written.id, revision: written.revision, isDeleted: false, body: document.body, attachments: [:])
    }

    /// See ``DocumentStore/delete(_:)-(Document)``.
    @discardableResult
    public func delete(_ document: Document) async throws(StoreError) -> RevisionID {
        try await put(try await outgoing(.delete(document))).revision
    }

    /// See ``DocumentStore/delete(_:)-(String)``.
    @discardableResult
    public func delete(_ id: String) async throws(StoreError) -> [RevisionID] {
        let live = try await leaves(of: id)
        guard !live.isEmpty else { throw StoreError.missing(id: id) }
        let deletions = live.map { leaf in
            DocumentEdit.delete(Document(id: id, revision: leaf, isDeleted: false, body: [:], attachments: [:]))
        }
        return try await writeEach(deletions).map { result throws(StoreError) in try result.get().revision }
    }

    /// See ``DocumentStore/writeEach(_:)``. Documents without large attachments are sent together, in requests of a few
    /// megabytes.
    public func writeEach(
        _ edits: [DocumentEdit]
    ) async throws(StoreError) -> [Result<WrittenRevision, StoreError>] {
        var outcomes: [Result<WrittenRevision, StoreError>] = []
        var batch: [OutgoingDocument] = []
        var batchBytes = 0
        for edit in edits {
            let document: OutgoingDocument
            do throws(StoreError) {
                document = try await outgoing(edit)
            } catch {
                // The batch of earlier edits is sent first, so that the outcomes are in the order of the edits.
                outcomes += try await writeTogether(batch)
                outcomes.append(.failure(error))
                (batch, batchBytes) = ([], 0)
                continue
            }
            let textBytes = document.text.count
            if document.hasParts || batch.count >= limits.documentsPerBatchMax
                || batchBytes + textBytes > limits.writeBytesMax
            {
                outcomes += try await writeTogether(batch)
                (batch, batchBytes) = ([], 0)
            }
            if document.hasParts {
                outcomes.append(try await writeAlone(document))
            } else {
                batch.append(document)
                batchBytes += textBytes
            }
        }
        return outcomes + (try await writeTogether(batch))
    }

    private func writeAlone(
        _ document: OutgoingDocument
    ) async throws(StoreError) -> Result<WrittenRevision, StoreError> {
        do throws(StoreError) {
            return .success(try await put(document))
        } catch {
            switch error.code {
            case .unreachable, .overloaded, .serverFailed, .badAnswer, .cancelled, .databaseNotFound: throw error
            default: return .failure(error)
            }
        }
    }

    private func writeTogether(
        _ documents: [OutgoingDocument]
    ) async throws(StoreError) -> [Result<WrittenRevision, StoreError>] {
        guard !documents.isEmpty else { return [] }
        var body: [UInt8] = []
        for document in documents {
            body.append(raw: body.isEmpty ? "{\"docs\":[" : ",")
            body += document.text
        }
        body.append(raw: "]}")
        let answer = try await send("POST", "_bulk_docs", body: body)
        // If the server refuses the request because of one document, each half of the documents is sent in a separate
        // request. The halves are divided again until the refused document is alone in its request.
        if [400, 412, 413].contains(answer.status) {
            guard documents.count > 1 else { return [.failure(failure(answer, .document(documents[0].id)))] }
            let middle = documents.count / 2
            let firstOutcomes = try await writeTogether(Array(documents[..<middle]))
            return firstOutcomes + (try await writeTogether(Array(documents[middle...])))
        }
        let tape = try tape(answer, .other("writing documents"))
        let rows = Array(tape.elements(of: 0))
        guard rows.count == documents.count else { throw nonsense("_bulk_docs does not have a row for each document") }
        var outcomes: [Result<WrittenRevision, StoreError>] = []
        for (document, row) in zip(documents, rows) { outcomes.append(try outcome(of: document, tape, row)) }
        return outcomes
    }

    private func outcome(
        of document: OutgoingDocument, _ answer: JSONTape, _ row: Int
    ) throws(StoreError) -> Result<WrittenRevision, StoreError> {
        guard answer.kind(row) == .object, answer.text("id", of: row).utf8.elementsEqual(document.id.utf8) else {
            throw nonsense("a row of _bulk_docs belongs to no document that was sent")
        }
        if let revision = answer.member("rev", of: row).flatMap({ answer.revision($0) }) {
            return .success(WrittenRevision(id: document.id, revision: revision))
        }
        let error = answer.text("error", of: row)
        return .failure(
            failure(
                status: Peer.status(of: error), error, answer.reason(of: row), .document(document.id)))
    }

    /// Sends one document, followed by its large attachments.
    private func put(_ document: OutgoingDocument) async throws(StoreError) -> WrittenRevision {
        let path = Peer.path(of: document.id)
        let answer: Peer.Answer
        if document.hasParts {
            answer = try await putParts(MultipartBody(text: document.text, parts: document.parts), path)
        } else {
            answer = try await send("PUT", path, body: document.text)
        }
        let tape = try tape(answer, .document(document.id))
        guard tape.kind(0) == .object, let revision = tape.member("rev", of: 0).flatMap({ tape.revision($0) }) else {
            throw nonsense("the response to a write has no revision")
        }
        return WrittenRevision(id: document.id, revision: revision)
    }

    private func putParts(_ body: MultipartBody, _ path: String) async throws(StoreError) -> Peer.Answer {
        do throws(ReplicationError) {
            let response = try await peer.begin(
                "PUT", path, headers: [("Content-Type", body.contentType), ("Accept", "application/json")],
                body: .stream(body, length: body.length), secondsMax: CouchDatabase.carrySecondsMax)
            return Peer.Answer(to: response, body: try await response.collect(bytesMax: limits.responseBytesMax))
        } catch {
            throw StoreError(error, at: url)
        }
    }
}
