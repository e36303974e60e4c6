//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import HTTPTypes

/// The routes of Mango's indexes.
struct IndexRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/{db}/_index", access: .database(.read), handler: list),
            Route(.post, "/{db}/_index", access: .database(.administrate), handler: create),
            Route(.post, "/{db}/_index/_bulk_delete", access: .database(.administrate), handler: deleteSeveral),
            Route(.delete, "/{db}/_index/{design}/{type}/{name}", access: .database(.administrate), handler: delete),
            Route(
                .delete, "/{db}/_index/_design/{design}/{type}/{name}", access: .database(.administrate),
                handler: delete),
        ]
    }

    @Sendable private func list(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        // As in CouchDB, the index of all documents is first. The other indexes are sorted by their design documents
        // and names.
        let indexes: [QueryIndex] = try datastore.indexes().sorted { left, right in
            guard left.kind != .special, right.kind != .special else { return left.kind == .special }
            return (left.designDocument, left.name) < (right.designDocument, right.name)
        }
        let skip = try count(context.request, "skip") ?? 0
        let limit = try count(context.request, "limit") ?? .max
        guard limit > 0 else { throw IndexRoutes.badRange }
        let page = indexes.dropFirst(skip).prefix(limit).map { $0.json(isPartitioned: datastore.isPartitioned) }
        try await context.response.sendJSON(
            body: ([
                "total_rows": .integer(Int64(indexes.count)), "indexes": .array(Array(page)),
            ] as JSONValue).line)
    }

    private func count(_ request: ServerRequest, _ name: String) throws -> Int? {
        guard let text = request.target.value(name) else { return nil }
        guard let count = Int(text), count >= 0 else { throw IndexRoutes.badRange }
        return count
    }

    /// The error when `skip` or `limit` is invalid. The status is 400. CouchDB responds with status 500 instead.
    private static let badRange = HTTPFailure(
        .badRequest, "invalid_list_index_params", "Index parameter ranges: limit > 1, skip > 0")

    @Sendable private func create(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let body = try await context.request.collectValue(limits: server.limits, depthMax: datastore.limits.depthMax)
        let index = try IndexRequest(body)
        let isNew = try await datastore.define(index, replacing: true)
        try await context.response.sendJSON(
            body: ([
                "result": isNew ? "created" : "exists", "id": .string(index.design), "name": .string(index.name),
            ] as JSONValue).line)
    }

    @Sendable private func delete(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        guard let kind = QueryIndex.Kind(rawValue: context.request.parameter("type")), kind != .special,
            try await datastore.removeIndex(
                context.request.parameter("name"), kind: kind, designDocument: context.request.parameter("design"))
        else { throw HTTPFailure.missing }
        try await context.response.sendJSON(body: Array("{\"ok\":true}\n".utf8))
    }

    @Sendable private func deleteSeveral(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let body = try await context.request.collectValue(limits: server.limits, depthMax: datastore.limits.depthMax)
        guard let members = body.objectValue else {
            throw HTTPFailure.badRequest("Request body must be a JSON object")
        }
        guard let ids = members["docids"] else {
            throw QueryError("missing_required_key", "Missing required key: docids")
        }
        guard let designs = ids.arrayValue else {
            throw QueryError(
                "invalid_bulk_docs", "Bulk Delete requires an array of non-null docids. Docids: \(ids.jsonText())")
        }
        let names = try designs.map { id in
            guard let name = id.stringValue else {
                throw QueryError("invalid_index_name", "Invalid index name: \(id.jsonText())")
            }
            return name
        }
        var (deleted, failures): ([JSONValue], [JSONValue]) = ([], [])
        for name in names {
            let id = JSONValue.string(DocumentID.designPrefix + DocumentID.designName(name))
            let designIndexes: [QueryIndex] = try datastore.indexes().filter {
                $0.kind != .special && $0.designDocument.isIdenticalText(to: DocumentID.designName(name))
            }
            // Deleting an index deletes its design document. As in CouchDB, this is refused if the design document
            // defines several indexes.
            guard designIndexes.count == 1,
                try await datastore.removeIndex(
                    designIndexes[0].name, kind: designIndexes[0].kind, designDocument: name)
            else {
                failures.append(["id": id, "error": "not_found"])
                continue
            }
            deleted.append(["id": id, "ok": true])
        }
        try await context.response.sendJSON(
            body: (["success": .array(deleted), "fail": .array(failures)] as JSONValue).line)
    }
}
