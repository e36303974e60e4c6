//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes
import Logging

/// The maintenance routes of a database: compaction, purges, and limits of histories.
struct UpkeepRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.post, "/{db}/_compact", access: .upkeep, handler: compact),
            Route(.post, "/{db}/_compact/{design}", access: .upkeep, handler: compactIndex),
            Route(.post, "/{db}/_sync_shards", access: .administrator, posts: .any, handler: nothingToDo),
            Route(.post, "/{db}/_purge", access: .administrator, handler: purge),
            Route(.get, "/{db}/_purged_infos", access: .administrator, handler: purgedInfos),
            Route(.get, "/{db}/_purged_infos_limit", access: .administrator, handler: purgedInfosMax),
            Route(.put, "/{db}/_purged_infos_limit", access: .administrator, handler: setPurgedInfosMax),
            Route(.get, "/{db}/_revs_limit", access: .database(.read), handler: revisionsMax),
            Route(.put, "/{db}/_revs_limit", access: .database(.administrate), handler: setRevisionsMax),
        ]
    }

    private static let compaction = "database_compaction"

    @Sendable private func compact(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        if !server.activities.isRunning(UpkeepRoutes.compaction, of: datastore.name) {
            let (activities, logger) = (server.activities, server.logger)
            // Compaction continues after the response, in short steps that do not block other requests.
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
        try await context.response.sendJSON(.accepted, body: okLine)
    }

    /// Handles a request to compact indexes. Nothing is done, because indexes are always compact. The response depends
    /// only on whether the design document exists.
    @Sendable private func compactIndex(_ context: RequestContext) async throws {
        let id = DocumentID.designPrefix + context.request.parameter("design")
        let row = try await context.datastore().read { try $0.row(id: id) }
        guard let row, !row.winner.isDeleted else { throw HTTPFailure.missing }
        try await context.response.sendJSON(.accepted, body: okLine)
    }

    /// Handles a request that only a server with several nodes needs.
    @Sendable private func nothingToDo(_ context: RequestContext) async throws {
        _ = try await context.datastore()
        try await context.response.sendJSON(.accepted, body: okLine)
    }

    // MARK: Purging

    @Sendable private func purge(_ context: RequestContext) async throws {
        server.statistics.purgeRequests.add(1)
        let datastore = try await context.datastore()
        let requested = try await context.request.collectRevisions(limits: server.limits, datastore: datastore)
        guard requested.count <= ServerLimits.purgedDocumentsMax else {
            throw HTTPFailure.badRequest("Exceeded maximum number of documents.")
        }
        guard requested.reduce(0, { $0 + $1.revisions.count }) <= ServerLimits.purgedRevisionsMax else {
            throw HTTPFailure.badRequest("Exceeded maximum number of revisions.")
        }
        var purged = JSONObject()
        for (id, revisions) in requested {
            let purgedRevisions = try await datastore.purge(id, revisions: revisions)
            purged[id] = .array(purgedRevisions.map { .string($0.description) })
        }
        let answer: JSONValue = ["purge_seq": .null, "purged": .object(purged)]
        try await context.response.sendJSON(.created, body: answer.line)
    }

    /// Lists the purges that replications still have to learn of, in the order in which they were made.
    @Sendable private func purgedInfos(_ context: RequestContext) async throws {
        let purges = try await context.datastore().read { try $0.purges() }
        let list = purges.map { purge -> JSONValue in
            ["id": .string(purge.id), "revs": .array(purge.revisions.map { .string($0.description) })]
        }
        try await context.response.sendJSON(body: (["purged_infos": .array(list)] as JSONValue).line)
    }

    @Sendable private func purgedInfosMax(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let stored = try datastore.read { try $0.property(.purgedInfosMax) }
        let count = stored ?? Int64(datastore.limits.purgesRememberedMax)
        try await context.response.sendJSON(body: JSONValue.integer(count).line)
    }

    @Sendable private func setPurgedInfosMax(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let count = try await positiveInteger(context.request, named: "purged_infos_limit")
        try await datastore.transact { try $0.set(.purgedInfosMax, to: Int64(count)) }
        try await context.response.sendJSON(body: okLine)
    }

    // MARK: Histories

    @Sendable private func revisionsMax(_ context: RequestContext) async throws {
        let count = try await context.datastore().revisionsMax
        try await context.response.sendJSON(body: JSONValue.integer(Int64(count)).line)
    }

    @Sendable private func setRevisionsMax(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        try await datastore.setRevisionsMax(try await positiveInteger(context.request, named: "_revs_limit"))
        try await context.response.sendJSON(body: okLine)
    }

    private func positiveInteger(_ request: ServerRequest, named name: String) async throws -> Int {
        let bytes = try await request.collectBody(bytesMax: ServerLimits.loginBytesMax)
        guard let count = try JSONValue(parsing: bytes).intValue, count > 0 else {
            throw HTTPFailure.badRequest("`\(name)` must be positive integer")
        }
        return count
    }
}
