//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes of single local documents, which are never replicated.
struct LocalRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/{db}/_local/{local}", access: .database(.read), work: .light, handler: read),
            Route(.put, "/{db}/_local/{local}", access: .database(.writeLocal), work: .light, handler: save),
            Route(.copy, "/{db}/_local/{local}", access: .database(.read), work: .light, handler: copy),
            Route(.delete, "/{db}/_local/{local}", access: .database(.writeLocal), work: .light, handler: delete),
        ]
            + [HTTPRequest.Method.get, .put, .delete].map {
                Route(
                    $0, "/{db}/_local/{local}/{attachment...}", access: .database(.read), work: .light,
                    handler: refuseAttachment)
            }
    }

    @Sendable private func refuseAttachment(_: RequestContext) async throws {
        throw HTTPFailure.badRequest("_local documents do not accept attachments.")
    }

    @Sendable private func read(_ context: RequestContext) async throws {
        let request = context.request
        let id = request.parameter("local")
        let document = try await context.datastore().read { try $0.local(id: id) }
        // `open_revs` is refused, because a local document has only one revision and no revision tree.
        guard let document, request.target.value("open_revs") == nil,
            request.target.value("rev").map(document.revisionText.isIdenticalText) ?? true
        else { throw HTTPFailure.missing }
        let tag = "\"\(document.revisionText)\""
        if request.matches(tag) { return try await context.response.sendEmpty(.notModified, headers: [.eTag: tag]) }
        var text: [UInt8] = []
        LocalRoutes.append(document, showsRevisions: request.target.value("revs") == "true", to: &text)
        try await context.response.sendJSON(headers: [.eTag: tag], body: text + [UInt8(ascii: "\n")])
    }

    private static func append(_ document: LocalDocument, showsRevisions: Bool = false, to text: inout [UInt8]) {
        text.append(raw: "{\"_id\":")
        JSONWriter.appendQuoted("_local/\(document.id)", to: &text)
        text.append(raw: ",\"_rev\":\"\(document.revisionText)\"")
        if showsRevisions {
            text.append(raw: ",\"_revisions\":{\"start\":0,\"ids\":[\"\(document.revisionText.dropFirst(2))\"]}")
        }
        if document.body.count > 2 {
            text.append(UInt8(ascii: ","))
            text.append(contentsOf: document.body[1...])
        } else {
            text.append(UInt8(ascii: "}"))
        }
    }

    /// Returns a row of `_local_docs`.
    static func row(_ document: LocalDocument, withDocument: Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.append(raw: "{\"id\":")
        JSONWriter.appendQuoted("_local/\(document.id)", to: &text)
        text.append(raw: ",\"key\":")
        JSONWriter.appendQuoted("_local/\(document.id)", to: &text)
        text.append(raw: ",\"value\":{\"rev\":\"\(document.revisionText)\"}")
        if withDocument {
            text.append(raw: ",\"doc\":")
            append(document, to: &text)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    @Sendable private func save(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let tape = try await context.request.collectJSON(limits: server.limits, depthMax: datastore.limits.depthMax)
        let edit = try LocalEdit(
            id: context.request.parameter("local"), tape, at: 0, of: context.request, limits: datastore.limits)
        let revision = try await datastore.transact { try edit.write(in: $0) }
        try await context.response.sendSaved(
            edit.isDeleted ? .ok : .created, id: edit.fullID, revision: revision, at: [datastore.name, edit.fullID],
            to: context.request)
    }

    /// Handles a copy of a local document to another local document or to a document.
    @Sendable private func copy(_ context: RequestContext) async throws {
        let database = try await context.database()
        let datastore = database.datastore
        let destination = try CopyDestination(context.request, limits: datastore.limits)
        let id = context.request.parameter("local")
        guard let source = try datastore.read({ try $0.local(id: id) }) else { throw HTTPFailure.missing }
        let revision = try await destination.write(
            source.body,
            as: { try IncomingDocument(parsing: source.body, purpose: .edit, limits: datastore.limits) }, to: database)
        try await context.response.sendSaved(
            .created, id: destination.id, revision: revision, at: [datastore.name, destination.id],
            to: context.request)
    }

    @Sendable private func delete(_ context: RequestContext) async throws {
        let id = context.request.parameter("local")
        guard try await context.datastore().transact({ try $0.removeLocal(id: id) }) else {
            throw HTTPFailure.missing
        }
        try await context.response.sendSaved(.ok, id: "_local/\(id)", revision: "0-0", at: [], to: context.request)
    }
}
