//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes of a database itself: creation, deletion, new documents with a generated id, and `_ensure_full_commit`.
struct DatabaseRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.put, "/{db}", access: .administrator, work: .light, handler: create),
            Route(.delete, "/{db}", access: .administrator, work: .light, handler: delete),
            Route(
                .post, "/{db}", access: .document(.write), condition: .ofWriting, work: .light, handler: createDocument),
            Route(
                .post, "/{db}/_ensure_full_commit", access: .database(.read), work: .light, handler: ensureFullCommit),
        ]
    }

    @Sendable private func create(_ context: RequestContext) async throws {
        let request = context.request
        let name = try server.newDatabaseName(request.parameter("db"))
        // `q` is the number of shards, and `n` is the number of copies. This server always stores one copy in one
        // shard. Therefore numbers other than 0 are accepted and ignored.
        for name in ["q", "n"] {
            guard try request.target.count(name) != 0 else {
                throw HTTPFailure.badRequest("\(name) must be a positive integer")
            }
        }
        let isPartitioned = try isPartitioned(request)
        guard !isPartitioned || !DatabaseName.systemNames.contains(name) else {
            throw HTTPFailure.badRequest("Cannot partition a system database")
        }
        try await server.manager.create(named: name, isPartitioned: isPartitioned)
        server.securities.forget(name)
        try await context.response.sendJSON(
            .created, headers: [.location: request.url("/\(name.percentEncoded(keeping: ":"))")], body: okLine)
    }

    /// Whether the new database has partitions. Any value except `true` and `false` is refused, because a database with
    /// the wrong value cannot be corrected later.
    private func isPartitioned(_ request: ServerRequest) throws(HTTPFailure) -> Bool {
        switch request.target.value("partitioned") {
        case nil, "false": false
        case "true": true
        default: throw .badRequest("Invalid `partitioned` parameter")
        }
    }

    @Sendable private func delete(_ context: RequestContext) async throws {
        guard context.request.target.value("rev") == nil else {
            throw HTTPFailure.badRequest(
                "You tried to DELETE a database with a ?=rev parameter. Did you mean to DELETE a document instead?")
        }
        try await server.manager.delete(named: context.request.parameter("db"))
        server.securities.forget(context.request.parameter("db"))
        try await context.response.sendJSON(body: okLine)
    }

    @Sendable private func createDocument(_ context: RequestContext) async throws {
        let request = context.request
        let database = try await context.database()
        let datastore = database.datastore
        let (tape, streamed) = try await request.collectDocuments(
            .document, for: datastore, limits: server.limits, depthMax: datastore.limits.depthMax)
        defer { datastore.endUploads(streamed.blobs) }
        if let id = LocalEdit.id(tape, at: 0) {
            try database.checkLocalWriting()
            let edit = try LocalEdit(id: id, tape, at: 0, limits: datastore.limits)
            let revision = try await datastore.transact { try edit.write(in: $0) }
            return try await context.response.sendSaved(
                .created, id: edit.fullID, revision: revision, at: [datastore.name, edit.fullID], isTagged: false,
                to: request)
        }
        var document = try IncomingDocument(
            tape, at: 0, purpose: .edit, limits: datastore.limits, streamed: streamed)
        let id = document.id ?? DocumentIDs.next(server.settings.options.value)
        document.id = id
        let revision = try await datastore.save(try await database.validated(document))
        try await context.response.sendSaved(
            request.isBatch ? .accepted : .created, id: id, revision: revision.description, at: [datastore.name, id],
            isTagged: false, to: request)
    }

    @Sendable private func ensureFullCommit(_ context: RequestContext) async throws {
        // Only the existence of the database is checked. There is nothing to commit: every write is durable before it
        // is acknowledged.
        let identity = try await context.datastore().identity
        try await context.response.sendJSON(
            .created, body: (["ok": true, "instance_start_time": .string(identity.startTime)] as JSONValue).line)
    }
}

extension ServerContext {
    /// Checks that no module uses the path of a new database for its routes. Returns the name of the database. This
    /// method checks no other rules for names.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the routes of a module that is in use have this name.
    func newDatabaseName(_ name: String) throws(HTTPFailure) -> String {
        if let reserved = reservedNames[name], reserved.isInUse {
            throw HTTPFailure(
                .badRequest, "illegal_database_name",
                "Name: '\(name)'. The module \(reserved.module) uses this name. Choose another.")
        }
        return name
    }
}

/// The line `{"ok":true}`.
let okLine = Array("{\"ok\":true}\n".utf8)
