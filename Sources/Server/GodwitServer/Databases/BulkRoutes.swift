//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport
import HTTPTypes

/// The routes of requests with many documents: `_bulk_docs` and `_bulk_get`.
struct BulkRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.post, "/{db}/_bulk_docs", access: .document(.write), condition: .ofWriting, handler: write),
            Route(.post, "/{db}/_bulk_get", access: .document(.read), condition: .ofReading, handler: read),
        ]
    }

    @Sendable private func write(_ context: RequestContext) async throws {
        server.statistics.bulkRequests.add(1)
        let database = try await context.database()
        let datastore = database.datastore
        // The limit of the depth applies to each document by itself. In the request, each document is inside a list
        // that is inside an object. Therefore the request may be two levels deeper than a document.
        let (tape, streamed) = try await context.request.collectDocuments(
            .list, for: datastore, limits: server.limits, depthMax: datastore.limits.depthMax + 2)
        defer { datastore.endUploads(streamed.blobs) }
        guard tape.kind(0) == .object else { throw HTTPFailure.badRequest("Request body must be a JSON object") }
        guard let documents = tape.member("docs", of: 0) else {
            throw HTTPFailure.badRequest("POST body must include `docs` parameter.")
        }
        guard tape.kind(documents) == .array else {
            throw HTTPFailure.badRequest("`docs` parameter must be an array.")
        }
        let newEdits = tape.member("new_edits", of: 0)
        guard newEdits.map({ tape.bool($0) != nil }) ?? true else {
            throw HTTPFailure.badRequest("`new_edits` parameter must be a boolean.")
        }
        let isReplicated = newEdits.flatMap { tape.bool($0) } == false
        guard tape.member("all_or_nothing", of: 0).flatMap({ tape.bool($0) }) != true else {
            throw HTTPFailure(
                .expectationFailed, "not_implemented", "all_or_nothing is not supported. Send the documents without it."
            )
        }
        let batch = try await BulkRoutes.batch(
            tape, documents, streamed, isReplicated: isReplicated, of: database, server.settings.options.value)
        // This check precedes all writes, so that a refused request writes no documents.
        if isReplicated { try database.checkReplication() }
        let locals = batch.compactMap(\.local)
        if !locals.isEmpty { try database.checkLocalWriting() }
        var outcomes = try await BulkRoutes.write(
            batch.compactMap(\.document), to: database, isReplicated: isReplicated
        ).makeIterator()
        var localRevisions = try await BulkRoutes.write(locals, to: datastore).makeIterator()
        var text: [UInt8] = [UInt8(ascii: "[")]
        for item in batch {
            switch item {
            case .document(let document):
                guard let outcome = outcomes.next() else { continue }
                BulkRoutes.append(outcome, of: document, isReplicated: isReplicated, to: &text)
            case .unreadable(let id, let revision, let failure):
                BulkRoutes.append(failure, id: id, revision: revision, to: &text)
            case .local(let edit):
                guard let revision = localRevisions.next(), !isReplicated else { continue }
                BulkRoutes.append(id: edit.fullID, revision: revision, to: &text)
            }
        }
        text.append(raw: "]\n")
        try await context.response.sendJSON(.created, body: text)
    }

    /// A document of a request's list.
    private enum Item: Sendable {
        case document(IncomingDocument)
        case local(LocalEdit)
        /// A replicated document that cannot be read. The others of the request are written.
        case unreadable(id: String, revision: String?, HTTPFailure)

        var document: IncomingDocument? { if case .document(let document) = self { document } else { nil } }
        var local: LocalEdit? { if case .local(let edit) = self { edit } else { nil } }
    }

    /// Parses the documents of a request's list.
    private static func batch(
        _ tape: JSONTape, _ list: Int, _ streamed: StreamedAttachments, isReplicated: Bool, of database: OpenDatabase,
        _ options: ServerOptions
    ) async throws -> [Item] {
        try WorkBudget.current?.take(bytes: tape.count(of: list) * ServerLimits.documentMemoryBytes)
        var yielder = LoopYielder()
        var batch: [Item] = []
        batch.reserveCapacity(tape.count(of: list))
        for index in tape.elements(of: list) {
            yielder.meter?.spend(readingBytes: tape.range(index).count)
            do {
                let item = try item(
                    tape, index, streamed, isReplicated: isReplicated, of: database.datastore, options)
                batch.append(item)
            } catch {
                guard isReplicated, error is StoreError || error is HTTPFailure else { throw error }
                batch.append(
                    .unreadable(
                        id: tape.text("_id", of: index),
                        revision: tape.member("_rev", of: index).map { _ in tape.text("_rev", of: index) },
                        database.failure(error)))
            }
            try yielder.meter.check()
            if yielder.isOver { await yielder.next() }
        }
        return batch
    }

    private static func item(
        _ tape: JSONTape, _ index: Int, _ streamed: StreamedAttachments, isReplicated: Bool, of datastore: Datastore,
        _ options: ServerOptions
    ) throws -> Item {
        let (limits, isPartitioned) = (datastore.limits, datastore.isPartitioned)
        if let id = LocalEdit.id(tape, at: index) {
            return .local(try LocalEdit(id: id, tape, at: index, limits: limits))
        }
        var document = try IncomingDocument(
            tape, at: index, purpose: isReplicated ? .replication : .edit, limits: limits, streamed: streamed)
        guard !isReplicated || document.revision != nil else {
            throw HTTPFailure.badRequest("When `new_edits: false`, the document needs `_rev` or `_revisions` specified")
        }
        if document.id == nil { document.id = DocumentIDs.next(options) }
        // As in CouchDB, the complete request is refused if one id is invalid.
        if let id = document.id, isPartitioned { try PartitionedID.check(id) }
        return .document(document)
    }

    /// Writes the documents that the database's rules accept, and returns the outcome of each.
    private static func write(
        _ batch: [IncomingDocument], to database: OpenDatabase, isReplicated: Bool
    ) async throws -> [Result<RevisionID?, HTTPFailure>] {
        let validations = try await database.validated(batch, isReplicated: isReplicated)
        let written = try await database.datastore.writeEach(
            validations.compactMap { try? $0.get() }, isReplicated: isReplicated)
        var remaining = written[...]
        return validations.map { validation in
            validation.flatMap { _ in remaining.removeFirst().mapError { database.failure($0) } }
        }
    }

    /// The maximum number of local documents that one transaction writes.
    private static let localsPerTransaction = 500

    /// Writes local documents, and returns the revision of each.
    private static func write(_ edits: [LocalEdit], to datastore: Datastore) async throws -> [String] {
        var revisions: [String] = []
        var remaining = edits[...]
        while !remaining.isEmpty {
            let slice = remaining.prefix(localsPerTransaction)
            remaining = remaining.dropFirst(slice.count)
            revisions += try await datastore.transact { transaction in
                try slice.map { try $0.write(in: transaction) }
            }
        }
        return revisions
    }

    private static func append(id: String, revision: String, to text: inout [UInt8]) {
        text.append(raw: text.count > 1 ? ",{" : "{")
        text.append(raw: "\"ok\":true,\"id\":")
        JSONWriter.appendQuoted(id, to: &text)
        text.append(raw: ",\"rev\":\"\(revision)\"}")
    }

    /// Appends one document's outcome. As in CouchDB, a replicated document is reported only if it was not written.
    private static func append(
        _ outcome: Result<RevisionID?, HTTPFailure>, of document: IncomingDocument, isReplicated: Bool,
        to text: inout [UInt8]
    ) {
        switch outcome {
        case .success(let revision):
            guard !isReplicated else { return }
            append(id: document.id ?? "", revision: revision?.description ?? "", to: &text)
        case .failure(let failure):
            append(
                failure, id: document.id ?? "", revision: isReplicated ? document.revision?.description : nil, to: &text
            )
        }
    }

    private static func append(_ failure: HTTPFailure, id: String, revision: String?, to text: inout [UInt8]) {
        text.append(raw: text.count > 1 ? ",{" : "{")
        for (name, value) in [("id", id), ("rev", revision), ("error", failure.error)] {
            guard let value else { continue }
            text.append(raw: "\"\(name)\":")
            JSONWriter.appendQuoted(value, to: &text)
            text.append(raw: ",")
        }
        text.append(raw: "\"reason\":")
        failure.appendReason(to: &text)
        text.append(UInt8(ascii: "}"))
    }
}
