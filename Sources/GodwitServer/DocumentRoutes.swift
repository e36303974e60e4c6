//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// One document.
struct DocumentRoutes {
    let context: ServerContext

    var routes: [Route] {
        ["/{db}/{id}", "/{db}/_design/{design}"].flatMap { path in
            [
                Route(.get, path, handler: read),
                Route(.put, path, handler: save),
                Route(.delete, path, handler: delete),
            ]
        }
    }

    @Sendable private func read(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let datastore = try await context.datastore(request)
        let id = try request.documentID(limits: datastore.limits)
        let query = try DocumentQuery(request.target)
        if let open = query.openRevisions {
            let text = try datastore.readTogether { try $0.openRevisions(open, of: id, query: query) }
            return try await response.sendJSON(body: text + [UInt8(ascii: "\n")])
        }
        let (revision, text) = try datastore.readTogether { try $0.document(id, query: query, in: datastore) }
        let tag = "\"\(revision)\""
        if query.isPlain, request.header(.ifNoneMatch) == tag {
            return try await response.sendEmpty(.notModified, headers: [.eTag: tag])
        }
        try await response.sendJSON(headers: query.isPlain ? [.eTag: tag] : [:], body: text + [UInt8(ascii: "\n")])
    }

    @Sendable private func save(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let datastore = try await context.datastore(request)
        let id = try request.documentID(limits: datastore.limits)
        let isReplicated = request.target.value("new_edits") == "false"
        let tape = try await request.collectJSON(limits: context.limits, depthMax: datastore.limits.depthMax)
        var document = try IncomingDocument(
            tape, at: 0, purpose: isReplicated ? .replication : .edit, limits: datastore.limits)
        document.id = id
        document.revision = try request.revision(inBody: document.revision)
        let incoming = document
        if isReplicated {
            _ = try await datastore.transact { try $0.graft(incoming) }
            guard let revision = incoming.revision else { throw HTTPFailure.badRequest("Invalid rev format") }
            return try await response.sendSaved(.created, database: datastore.name, id: id, revision: revision)
        }
        let revision = try await datastore.save(incoming)
        try await response.sendSaved(.created, database: datastore.name, id: id, revision: revision)
    }

    @Sendable private func delete(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let datastore = try await context.datastore(request)
        let id = try request.documentID(limits: datastore.limits)
        let revision = try request.revision(inBody: nil)
        guard let row = try datastore.read({ try $0.row(id: id) }) else { throw HTTPFailure.missing }
        guard !row.winner.isDeleted else { throw HTTPFailure.deleted }
        guard let revision else { throw HTTPFailure.conflict }
        let tombstone = IncomingDocument(id: id, revision: revision, isDeleted: true)
        let saved = try await datastore.save(tombstone)
        try await response.sendSaved(.ok, database: datastore.name, id: id, revision: saved)
    }
}

extension ServerRequest {
    /// The id of the document that the path names.
    func documentID(limits: StoreLimits) throws -> String {
        if let design = parameters["design"] { return "_design/\(design)" }
        let id = parameter("id")
        try DocumentID.check(id, limits: limits)
        return id
    }

    /// The revision that a write names, in its body, its query or its `If-Match`; all that are given must agree.
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
