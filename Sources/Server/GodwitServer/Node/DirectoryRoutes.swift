//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes of the list of databases, of their properties, and of the feed of their updates.
struct DirectoryRoutes {
    let server: ServerContext

    var routes: [Route] {
        let condition = "an administrator of the server if `admin_only_all_dbs` is set"
        return [
            Route(.get, "/_all_dbs", access: .anyone, condition: condition, handler: names),
            Route(.get, "/_dbs_info", access: .anyone, condition: condition, handler: infos),
            Route(.post, "/_dbs_info", access: .anyone, condition: condition, handler: infosOfKeys),
            Route(.get, "/_db_updates", access: .administrator, handler: updates),
        ]
    }

    // MARK: Names and counters

    @Sendable private func names(_ context: RequestContext) async throws {
        let names = try await listed(context)
        var hasher = Hasher()
        hasher.combine(names)
        let tag = "\"\(UInt(bitPattern: hasher.finalize()))\""
        if context.request.matches(tag) {
            return try await context.response.sendEmpty(.notModified, headers: [.eTag: tag])
        }
        try await context.response.sendJSON(
            headers: [.eTag: tag], body: JSONValue.array(names.map { .string($0) }).line)
    }

    @Sendable private func infos(_ context: RequestContext) async throws {
        try await send(try await listed(context).map { .string($0) }, context.response)
    }

    @Sendable private func infosOfKeys(_ context: RequestContext) async throws {
        try checkMayList(context.principal)
        let body = try await context.request.collectValue(limits: server.limits, depthMax: 2)
        guard let keys = body.objectValue?["keys"]?.arrayValue else {
            throw HTTPFailure.badRequest("`keys` member must exist.")
        }
        guard keys.count <= ServerLimits.databasesAskedMax else {
            throw HTTPFailure.badRequest("`keys` member must be at most \(ServerLimits.databasesAskedMax) long.")
        }
        try await send(keys, context.response)
    }

    /// Returns the names in the range that a request asks for.
    private func listed(_ context: RequestContext) async throws -> [String] {
        try checkMayList(context.principal)
        let query = try AllDocsQuery(context.request.target)
        return try await server.manager.names(
            in: query.range, descending: query.descending, limit: query.limit, skip: query.skip)
    }

    private func checkMayList(_ principal: Principal) throws(HTTPFailure) {
        guard principal.isAdministrator || !server.settings.options.listsDatabasesForAdministrators else {
            throw .unauthorized("You are not a server admin.")
        }
    }

    private func send(_ names: [JSONValue], _ response: ServerResponse) async throws {
        try await response.begin(contentType: "application/json")
        var separator = "["
        for name in names {
            try await response.write(separator + (try await info(of: name)).jsonText())
            separator = ","
        }
        try await response.write(names.isEmpty ? "[]\n" : "]\n")
        try await response.finish()
    }

    private func info(of name: JSONValue) async throws -> JSONValue {
        let missing: JSONValue = ["key": name, "error": "not_found"]
        guard let text = name.stringValue else { return missing }
        do {
            let datastore = try await server.manager.existingDatastore(named: text)
            return ["key": name, "info": try datastore.infoValue(server.activities)]
        } catch let error as StoreError where [.databaseNotFound, .invalidDatabaseName].contains(error.code) {
            return missing
        }
    }

    // MARK: Updates

    @Sendable private func updates(_ context: RequestContext) async throws {
        let query = try FeedQuery(context.request, limits: server.limits)
        try await UpdatesFeed(manager: server.manager, query: query, response: context.response).run()
    }
}
