//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The changes feed.
struct ChangesRoutes {
    let context: ServerContext

    var routes: [Route] {
        [Route(.get, "/{db}/_changes", handler: changes), Route(.post, "/{db}/_changes", handler: changes)]
    }

    @Sendable private func changes(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let datastore = try await context.datastore(request)
        if request.head.method == .post {
            _ = try await request.collectBody(bytesMax: context.limits.jsonRequestBytesMax)
        }
        let query = try ChangesQuery(request.target, datastore: datastore, limits: context.limits)
        try await ChangesFeed(datastore: datastore, query: query, response: response).run()
    }
}

/// The parameters of `_changes`.
struct ChangesQuery {
    enum Feed {
        case normal
        case longpoll
    }

    var feed = Feed.normal
    /// The number of the last change that the client has.
    var since: Int64
    var limit: Int
    var allLeaves: Bool
    var includesDocuments: Bool
    var conflicts: Bool
    var attachments: Bool
    /// How long a long poll waits; `nil` for ever, with heartbeats.
    var timeout: Duration?
    var heartbeat: Duration?

    init(_ target: RequestTarget, datastore: Datastore, limits: ServerLimits) throws {
        switch target.value("feed") {
        case nil, "normal": feed = .normal
        case "longpoll": feed = .longpoll
        case let other?: throw HTTPFailure.notImplemented("the changes feed `\(other)`")
        }
        if let filter = target.value("filter") {
            throw HTTPFailure.notImplemented("the filter `\(filter)` of `_changes`")
        }
        if try target.flag("descending") { throw HTTPFailure.notImplemented("`descending` of `_changes`") }
        since = try ChangesQuery.since(target, datastore: datastore)
        // As in CouchDB, a limit of zero is one.
        limit = try max(1, target.count("limit") ?? .max)
        switch target.value("style") {
        case nil, "main_only": allLeaves = false
        case "all_docs": allLeaves = true
        case let other?: throw HTTPFailure.badQuery("Invalid value for style: \(other)")
        }
        includesDocuments = try target.flag("include_docs")
        conflicts = try target.flag("conflicts")
        attachments = try target.flag("attachments")
        heartbeat = try ChangesQuery.heartbeat(target, limits: limits)
        if heartbeat == nil {
            timeout = .milliseconds(try target.count("timeout") ?? limits.feedTimeoutMilliseconds)
        }
    }

    private static func since(_ target: RequestTarget, datastore: Datastore) throws -> Int64 {
        guard let text = target.value("since").map({ $0.filter { $0 != "\"" } }) else { return 0 }
        if text == "now" { return datastore.updateSequence.number }
        guard let sequence = UpdateSequence(text) else {
            throw HTTPFailure.badRequest("Malformed sequence supplied in 'since' parameter.")
        }
        return datastore.start(of: sequence)
    }

    private static func heartbeat(_ target: RequestTarget, limits: ServerLimits) throws -> Duration? {
        switch target.value("heartbeat") {
        case nil, "false": nil
        case "true": .milliseconds(limits.heartbeatMilliseconds)
        default: .milliseconds(max(1, try target.count("heartbeat") ?? 0))
        }
    }
}
