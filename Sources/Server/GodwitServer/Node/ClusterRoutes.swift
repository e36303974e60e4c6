//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes with which administrators of CouchDB manage a cluster. This server is always a single node, and it stores
/// each database in one shard.
///
/// Setup scripts of CouchDB use `_cluster_setup` to create a single node.
struct ClusterRoutes {
    /// Whether resharding is enabled. This server never splits shards, so this state only appears in responses. If an
    /// administrator has stopped resharding, `reasonOfStop` contains the reason. Otherwise it is `nil`.
    private final class Resharding: Sendable {
        let reasonOfStop = Mutex<String?>(nil)
    }

    let server: ServerContext
    private let resharding = Resharding()

    init(server: ServerContext) { self.server = server }

    var routes: [Route] {
        [
            Route(.get, "/_cluster_setup", access: .administrator, work: .light, handler: setup),
            Route(.post, "/_cluster_setup", access: .administrator, work: .light, handler: setUp),
            Route(.get, "/_reshard", access: .administrator, work: .light, handler: summary),
            Route(.get, "/_reshard/state", access: .administrator, work: .light, handler: state),
            Route(.put, "/_reshard/state", access: .administrator, work: .light, handler: setState),
            Route(.get, "/_reshard/jobs", access: .administrator, work: .light, handler: jobs),
            Route(.post, "/_reshard/jobs", access: .administrator, work: .light, handler: makeJob),
        ]
    }

    // MARK: Setup

    @Sendable private func setup(_ context: RequestContext) async throws {
        try await context.response.sendJSON(body: (["state": "single_node_enabled"] as JSONValue).line)
    }

    @Sendable private func setUp(_ context: RequestContext) async throws {
        switch try await member("action", of: context.request) {
        case "enable_single_node": try await context.response.sendJSON(.created, body: okLine)
        case "finish_cluster": throw HTTPFailure.badRequest("Cluster is already finished")
        case "enable_cluster": throw HTTPFailure.badRequest("Cluster is already enabled")
        case "add_node", "remove_node", "receive_cookie": throw HTTPFailure.oneNode
        default: throw HTTPFailure.badRequest("Invalid Action'")
        }
    }

    /// Returns a string member of the body; `nil` when it is missing or not a string.
    private func member(_ name: String, of request: ServerRequest) async throws -> String? {
        try await object(request)[name]?.stringValue
    }

    private func object(_ request: ServerRequest) async throws -> JSONObject {
        let body = try await request.collectValue(limits: server.limits, depthMax: StoreLimits.default.depthMax)
        guard let object = body.objectValue else { throw HTTPFailure.badRequest("Request body must be a JSON object") }
        return object
    }

    // MARK: Resharding

    /// The state of resharding. If resharding was stopped, also the reason for this.
    private var stateMembers: (state: JSONValue, reason: JSONValue) {
        let reason = resharding.reasonOfStop.withLock { $0 }
        return (reason == nil ? "running" : "stopped", reason.map { .string($0) } ?? .null)
    }

    @Sendable private func summary(_ context: RequestContext) async throws {
        let (state, reason) = stateMembers
        let answer: JSONValue = [
            "state": state, "state_reason": reason, "completed": 0, "failed": 0, "running": 0, "stopped": 0, "total": 0,
        ]
        try await context.response.sendJSON(body: answer.line)
    }

    @Sendable private func state(_ context: RequestContext) async throws {
        let (state, reason) = stateMembers
        try await context.response.sendJSON(body: (["state": state, "reason": reason] as JSONValue).line)
    }

    @Sendable private func setState(_ context: RequestContext) async throws {
        switch try await member("state", of: context.request) {
        case "running": resharding.reasonOfStop.withLock { $0 = nil }
        case "stopped":
            resharding.reasonOfStop.withLock { $0 = "Cluster-wide resharding stopped by the user" }
        default: throw HTTPFailure.badRequest("State field not `running` or `stopped`")
        }
        try await context.response.sendJSON(body: okLine)
    }

    @Sendable private func jobs(_ context: RequestContext) async throws {
        try await context.response.sendJSON(body: (["total_rows": 0, "offset": 0, "jobs": []] as JSONValue).line)
    }

    @Sendable private func makeJob(_ context: RequestContext) async throws {
        let job = try await object(context.request)
        guard job["type"]?.stringValue == "split" else {
            throw HTTPFailure.badRequest("`job type must be `split`")
        }
        guard job["db"] != nil || job["shard"] != nil else {
            throw HTTPFailure.badRequest("Must specify at least `db` or `shard`")
        }
        if let name = job["db"]?.stringValue {
            do throws(StoreError) {
                _ = try await server.manager.existingDatastore(named: name)
            } catch {
                throw HTTPFailure.badRequest("Invalid `db`")
            }
        }
        throw HTTPFailure.oneNode
    }
}

extension HTTPFailure {
    fileprivate static let oneNode = HTTPFailure(
        .notImplemented, "not_implemented",
        "A Godwit server is a single node with one shard per database: it cannot join a cluster or split shards.")
}
