//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes
import Logging

/// The upkeep of one database: compaction, purges, the length of histories.
struct UpkeepRoutes {
    let context: ServerContext

    var routes: [Route] {
        [
            Route(.post, "/{db}/_compact", access: .upkeep, handler: compact),
            Route(.post, "/{db}/_compact/{design}", access: .upkeep, handler: compactIndex),
            Route(.post, "/{db}/_sync_shards", access: .administrator, posts: .any, handler: nothingToDo),
            Route(.post, "/{db}/_purge", access: .administrator, handler: purge),
            Route(.get, "/{db}/_purged_infos_limit", access: .administrator, handler: purgedInfosMax),
            Route(.put, "/{db}/_purged_infos_limit", access: .administrator, handler: setPurgedInfosMax),
            Route(.get, "/{db}/_revs_limit", access: .database(.read), handler: revisionsMax),
            Route(.put, "/{db}/_revs_limit", access: .database(.administrate), handler: setRevisionsMax),
        ]
    }

    private static let compaction = "database_compaction"

    @Sendable private func compact(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let datastore = try await context.datastore(request)
        if !context.activities.isRunning(UpkeepRoutes.compaction, of: datastore.name) {
            let (activities, logger) = (context.activities, context.logger)
            // It goes on when the request is over, in short steps that hold nobody up.
            Task.detached {
                do {
                    try await activities.during(UpkeepRoutes.compaction, of: datastore.name) { update in
                        _ = try await datastore.compact { report in
                            update([
                                "changes_done": .integer(Int64(report.bodiesRemoved)),
                                "pages_freed": .integer(Int64(report.pagesFreed)),
                            ])
                        }
                    }
                } catch {
                    logger.error("compacting \(datastore.name) failed", metadata: ["cause": "\(error)"])
                }
            }
        }
        try await response.sendJSON(.accepted, body: okLine)
    }

    /// Indexes are always compact: there is nothing to do but to say whether the design document is there.
    @Sendable private func compactIndex(
        _ request: ServerRequest, _: Principal, _ response: ServerResponse
    ) async throws {
        let id = DocumentID.designPrefix + request.parameter("design")
        let row = try await context.datastore(request).read { try $0.row(id: id) }
        guard let row, !row.winner.isDeleted else { throw HTTPFailure.missing }
        try await response.sendJSON(.accepted, body: okLine)
    }

    /// What CouchDB needs and one node with indexes that are always clean does not.
    @Sendable private func nothingToDo(
        _ request: ServerRequest, _: Principal, _ response: ServerResponse
    ) async throws {
        _ = try await context.datastore(request)
        try await response.sendJSON(.accepted, body: okLine)
    }

    // MARK: Purging

    @Sendable private func purge(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let datastore = try await context.datastore(request)
        let asked = try await request.collectRevisions(context: context, datastore: datastore)
        guard asked.count <= ServerLimits.purgedDocumentsMax else {
            throw HTTPFailure.badRequest("Exceeded maximum number of documents.")
        }
        guard asked.reduce(0, { $0 + $1.revisions.count }) <= ServerLimits.purgedRevisionsMax else {
            throw HTTPFailure.badRequest("Exceeded maximum number of revisions.")
        }
        var purged = JSONObject()
        for (id, revisions) in asked {
            let gone = try await datastore.purge(id, revisions: revisions)
            purged[id] = .array(gone.map { .string($0.description) })
        }
        let answer: JSONValue = ["purge_seq": .null, "purged": .object(purged)]
        try await response.sendJSON(.created, body: answer.line)
    }

    @Sendable private func purgedInfosMax(
        _ request: ServerRequest, _: Principal, _ response: ServerResponse
    ) async throws {
        let datastore = try await context.datastore(request)
        let stored = try datastore.read { try $0.property(.purgedInfosMax) }
        let count = stored ?? Int64(datastore.limits.purgesRememberedMax)
        try await response.sendJSON(body: JSONValue.integer(count).line)
    }

    @Sendable private func setPurgedInfosMax(
        _ request: ServerRequest, _: Principal, _ response: ServerResponse
    ) async throws {
        let datastore = try await context.datastore(request)
        let count = try await number(request, named: "purged_infos_limit")
        try await datastore.transact { try $0.set(.purgedInfosMax, to: Int64(count)) }
        try await response.sendJSON(body: okLine)
    }

    // MARK: Histories

    @Sendable private func revisionsMax(
        _ request: ServerRequest, _: Principal, _ response: ServerResponse
    ) async throws {
        let count = try await context.datastore(request).revisionsMax
        try await response.sendJSON(body: JSONValue.integer(Int64(count)).line)
    }

    @Sendable private func setRevisionsMax(
        _ request: ServerRequest, _: Principal, _ response: ServerResponse
    ) async throws {
        let datastore = try await context.datastore(request)
        try await datastore.setRevisionsMax(try await number(request, named: "_revs_limit"))
        try await response.sendJSON(body: okLine)
    }

    private func number(_ request: ServerRequest, named name: String) async throws -> Int {
        let bytes = try await request.collectBody(bytesMax: ServerLimits.loginBytesMax)
        guard let count = try JSONValue(parsing: bytes).intValue, count > 0 else {
            throw HTTPFailure.badRequest("`\(name)` must be positive integer")
        }
        return count
    }
}
