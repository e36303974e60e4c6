//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport
import HTTPTypes

/// The routes of single documents.
struct DocumentRoutes {
    let server: ServerContext

    var routes: [Route] {
        ["/{db}/{id}", "/{db}/_design/{design}"].flatMap { path in
            [
                Route(.get, path, access: .document(.read), condition: .ofReading, work: .light, handler: read),
                Route(.put, path, access: .document(.write), condition: .ofWriting, work: .light, handler: put),
                Route(.delete, path, access: .document(.write), condition: .ofWriting, work: .light, handler: delete),
                Route(.copy, path, access: .document(.write), condition: .ofWriting, work: .light, handler: copy),
            ]
        }
    }

    // MARK: Reading

    @Sendable private func read(_ context: RequestContext) async throws {
        let (request, response) = (context.request, context.response)
        let database = try await context.database()
        let datastore = database.datastore
        let id = try request.documentID(in: datastore)
        try database.checkReading(id)
        server.statistics.documentReads.add(1)
        let query = try DocumentQuery(request.target)
        if let selection = query.openRevisions {
            if request.accepts("multipart/mixed") {
                return try await sendParts(selection, of: id, query: query, datastore, request, response)
            }
            let text = try datastore.readTogether { try DocumentReader($0, query).openRevisions(selection, of: id) }
            return try await response.sendJSON(text, of: datastore)
        }
        if case .inline = query.attachments, request.accepts("multipart/related"),
            let parts = try datastore.readTogether({ table in
                try table.row(id: id).flatMap { try DocumentReader(table, query).parts(of: $0, revision: nil) }
            }), parts.hasAttachments
        {
            let writer = MultipartWriter()
            response.omitCacheControl()
            let text = try datastore.pinned(parts.related(writer))
            try await response.begin(
                contentType: writer.contentType("related"), headers: [.eTag: "\"\(parts.revision)\""],
                length: text.count)
            try await response.write(text)
            return try await response.finish()
        }
        let (tag, text) = try datastore.readTogether { try DocumentReader($0, query).document(id) }
        guard let tag else { return try await response.sendJSON(text, of: datastore) }
        let clientHasText = request.matches(tag)
        // As in CouchDB, the response has no header `Cache-Control` in two cases: the client already has the text, or
        // the request contains `atts_since`.
        if clientHasText || request.target.value("atts_since") != nil { response.omitCacheControl() }
        guard !clientHasText else { return try await response.sendEmpty(.notModified, headers: [.eTag: tag]) }
        try await response.sendJSON(text, of: datastore, headers: [.eTag: tag])
    }

    /// Sends the response to `open_revs` as a multipart body.
    private func sendParts(
        _ selection: DocumentQuery.OpenRevisions, of id: String, query: DocumentQuery, _ datastore: Datastore,
        _ request: ServerRequest, _ response: ServerResponse
    ) async throws {
        let query = query.withAttachments
        let requested = try datastore.readTogether { table in
            let row = try table.row(id: id)
            let tree = try row.map { try table.fullTree(of: $0) }
            // If a revision is not in the document's tree, it is reported as missing, and the document is not read.
            return try DocumentReader(table, query).revisions(selection, of: row).map { revision in
                (revision, isStored: tree?.index(of: revision) != nil)
            }
        }
        var parts = MixedParts(for: request)
        response.omitCacheControl()
        try await response.begin(contentType: parts.contentType)
        for (revision, isStored) in requested {
            var text = DocumentText()
            if isStored, let storedParts = try revisionParts(of: id, revision, query: query, datastore) {
                parts.append(storedParts, to: &text)
            } else {
                parts.append(missing: Array("{\"missing\":\"\(revision)\"}".utf8), to: &text)
            }
            try await response.write(try datastore.pinned(text))
        }
        try await response.write(parts.end())
        try await response.finish()
    }

    private func revisionParts(
        of id: String, _ revision: RevisionID, query: DocumentQuery, _ datastore: Datastore
    ) throws -> RevisionParts? {
        try datastore.readTogether { table in
            try table.row(id: id).flatMap { try DocumentReader(table, query).parts(of: $0, revision: revision) }
        }
    }

    // MARK: Writing

    @Sendable private func put(_ context: RequestContext) async throws {
        let request = context.request
        let database = try await context.database()
        let datastore = database.datastore
        let id = try request.documentID(in: datastore)
        let isReplicated = request.target.value("new_edits") == "false"
        if isReplicated { try database.checkReplication() }
        var (document, uploads, resumableBlobs) = try await incoming(
            request, purpose: isReplicated ? .replication : .edit, datastore)
        defer { datastore.endUploads(uploads) }
        // As in CouchDB, the id in the path replaces an `_id` in the body.
        document.id = id
        let isDeleted = document.isDeleted
        let revision: RevisionID
        do {
            document.revision = try request.revision(inBody: document.revision)
            let valid = try await database.validated(document, isReplicated: isReplicated)
            revision = try await store(valid, in: datastore, isReplicated: isReplicated, kept: resumableBlobs)
        } catch {
            // If the error may be temporary, the received attachments are kept. The client can then repeat the request
            // without sending their bytes again. For any other error, they are removed.
            if !resumableBlobs.isEmpty, !HTTPFailure(error).mayRetry {
                try await datastore.forgetArrivals(resumableBlobs)
            }
            throw error
        }
        try await context.response.sendSaved(
            request.isBatch ? .accepted : isDeleted ? .ok : .created, id: id, revision: revision.description,
            at: [datastore.name, id], isTagged: !request.isBatch, to: request)
    }

    /// Reads the document in a request's body: JSON, or JSON followed by attachments. Also returns the bytes of its
    /// attachments, and the resumable attachments: these remain stored even if the document is not written.
    private func incoming(
        _ request: ServerRequest, purpose: IncomingDocument.Purpose, _ datastore: Datastore
    ) async throws -> (document: IncomingDocument, uploads: [StoredBlob], kept: [StoredBlob]) {
        if let type = request.header(.contentType).flatMap({ MediaType($0) }), type.isMultipart {
            guard let boundary = type.boundary else {
                throw HTTPFailure.badRequest("the multipart body has no boundary")
            }
            var reader = MultipartDocumentReader(datastore: datastore, purpose: purpose, limits: server.limits)
            let (document, kept) = try await reader.read(request, boundary: boundary, limits: server.limits)
            return (document, document.uploadedBlobs.excluding(kept), kept)
        }
        let (tape, streamed) = try await request.collectDocuments(
            .document, for: datastore, limits: server.limits, depthMax: datastore.limits.depthMax)
        do {
            let document = try IncomingDocument(
                tape, at: 0, purpose: purpose, limits: datastore.limits, streamed: streamed)
            return (document, streamed.blobs, [])
        } catch {
            datastore.endUploads(streamed.blobs)
            throw error
        }
    }

    private func store(
        _ document: IncomingDocument, in datastore: Datastore, isReplicated: Bool, kept: [StoredBlob]
    ) async throws -> RevisionID {
        guard isReplicated else { return try await datastore.save(document) }
        guard let revision = document.revision else { throw HTTPFailure.badRequest("Invalid rev format") }
        _ = try await datastore.transact { transaction in
            _ = try transaction.graft(document)
            // If the database already had the revision, the received attachments are not needed.
            try transaction.forgetArrivals(kept)
        }
        return revision
    }

    @Sendable private func delete(_ context: RequestContext) async throws {
        let request = context.request
        let database = try await context.database()
        let datastore = database.datastore
        let id = try request.documentID(in: datastore)
        try database.checkReading(id)
        let revision = try request.revision(inBody: nil)
        guard let row = try datastore.read({ try $0.row(id: id) }) else { throw HTTPFailure.missing }
        guard !row.winner.isDeleted else { throw HTTPFailure.deleted }
        guard let revision else { throw HTTPFailure.conflict }
        let tombstone = IncomingDocument(id: id, revision: revision, isDeleted: true)
        let saved = try await datastore.save(try await database.validated(tombstone))
        try await context.response.sendSaved(
            request.isBatch ? .accepted : .ok, id: id, revision: saved.description, at: [], to: request)
    }

    /// Handles a copy of a document within its database, with its attachments.
    @Sendable private func copy(_ context: RequestContext) async throws {
        let request = context.request
        let database = try await context.database()
        let datastore = database.datastore
        let id = try request.documentID(in: datastore)
        try database.checkReading(id)
        let destination = try CopyDestination(request, limits: datastore.limits)
        let source = try request.target.revision("rev")
        let stored = try datastore.readTogether { try DocumentReader.revision(source, of: id, in: $0) }
        let revision = try await destination.write(
            stored.body, as: { try IncomingDocument(copying: stored, limits: datastore.limits) }, to: database)
        try await context.response.sendSaved(
            .created, id: destination.id, revision: revision, at: [datastore.name, destination.id], to: request)
    }
}

extension ServerRequest {
    /// Whether the client requests a response before the write is on disk (`batch=ok`). This server always responds
    /// after the write.
    var isBatch: Bool { target.value("batch") == "ok" }

    /// Returns the id of the document in the path.
    ///
    /// - Throws: ``HTTPFailure`` when the id is invalid. The status is 404 for a GET or HEAD request, and 400 for any
    ///   other request. In a partitioned database, this method also throws the errors of ``PartitionedID/check(_:)``.
    func documentID(in datastore: Datastore) throws -> String {
        var id = parameter("id")
        if id.isEmpty { id = DocumentID.designPrefix + parameter("design") }
        do throws(StoreError) {
            try DocumentID.check(id, limits: datastore.limits)
        } catch {
            // As in CouchDB, a read of an invalid id reports a missing document.
            throw head.method == .get || head.method == .head ? HTTPFailure.missing : HTTPFailure(error)
        }
        if datastore.isPartitioned { try PartitionedID.check(id) }
        return id
    }

    /// Returns the revision that a write names in its body, in its query or in the header `If-Match`; `nil` if the
    /// request names no revision.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the header or the query parameter is malformed, and when the
    ///   request contains two different revisions.
    func revision(inBody: RevisionID?) throws(HTTPFailure) -> RevisionID? {
        let inQuery = try target.revision("rev")
        if let inBody, let inQuery, inBody != inQuery {
            throw .badRequest("Document rev from request body and query string have different values")
        }
        guard let tag = header(.ifMatch) else { return inBody ?? inQuery }
        guard let inHeader = RevisionID(tag.filter { $0 != "\"" }) else { throw .badRequest("Invalid rev format") }
        guard (inBody ?? inQuery ?? inHeader) == inHeader else {
            throw .badRequest("Document rev and etag have different values")
        }
        return inHeader
    }
}

extension ServerResponse {
    /// Sends the response after a document is saved. The response contains the document's id, revision and location.
    ///
    /// - Parameters:
    ///   - location: The segments of the path for the `Location` header; empty for a response without this header.
    ///   - isTagged: Whether the response has the revision as its `ETag`.
    func sendSaved(
        _ status: HTTPResponse.Status, id: String, revision: String, at location: [String], isTagged: Bool = true,
        to request: ServerRequest
    ) async throws {
        var text: [UInt8] = []
        text.append(raw: "{\"ok\":true,\"id\":")
        JSONWriter.appendQuoted(id, to: &text)
        text.append(raw: ",\"rev\":\"\(revision)\"}\n")
        var headers: HTTPFields = isTagged ? [.eTag: "\"\(revision)\""] : [:]
        if !location.isEmpty {
            headers[.location] = request.url(
                "/" + location.map { $0.percentEncoded(keeping: ":") }.joined(separator: "/"))
        }
        try await sendJSON(status, headers: headers, body: text)
    }
}
