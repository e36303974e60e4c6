//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The list of databases, what they tell of themselves, and what happens to them.
struct DirectoryRoutes {
    let context: ServerContext

    var routes: [Route] {
        let access: Access = .anyone
        return [
            Route(.get, "/_all_dbs", access: access, handler: names),
            Route(.get, "/_dbs_info", access: access, handler: infos),
            Route(.post, "/_dbs_info", access: access, handler: infosOfKeys),
            Route(.get, "/_db_updates", handler: updates),
        ]
    }

    // MARK: Names and counters

    @Sendable private func names(
        _ request: ServerRequest, _ principal: Principal, _ response: ServerResponse
    ) async throws {
        let names = try await listed(request, principal)
        try await response.sendJSON(body: JSONValue.array(names.map { .string($0) }).line)
    }

    @Sendable private func infos(
        _ request: ServerRequest, _ principal: Principal, _ response: ServerResponse
    ) async throws {
        try await send(try await listed(request, principal), response)
    }

    @Sendable private func infosOfKeys(
        _ request: ServerRequest, _ principal: Principal, _ response: ServerResponse
    ) async throws {
        try checkMayList(principal)
        let body = try await request.collectValue(limits: context.limits, depthMax: 2)
        guard let keys = body.objectValue?["keys"]?.arrayValue else {
            throw HTTPFailure.badRequest("`keys` member must exist.")
        }
        guard keys.count <= ServerLimits.databasesAskedMax else {
            throw HTTPFailure.badRequest("`keys` member must be at most \(ServerLimits.databasesAskedMax) long.")
        }
        let names = try keys.map { key in
            guard let name = key.stringValue else { throw HTTPFailure.badRequest("`keys` member must hold strings.") }
            return name
        }
        try await send(names, response)
    }

    /// The names that a request asks for by range.
    private func listed(_ request: ServerRequest, _ principal: Principal) async throws -> [String] {
        try checkMayList(principal)
        let query = try AllDocsQuery(request.target)
        return try await context.manager.names(
            in: query.range, descending: query.descending, limit: query.limit, skip: query.skip)
    }

    private func checkMayList(_ principal: Principal) throws(HTTPFailure) {
        guard principal.isAdministrator || !context.settings.options.listsDatabasesForAdministrators else {
            throw .unauthorized("You are not a server admin.")
        }
    }

    private func send(_ names: [String], _ response: ServerResponse) async throws {
        try await response.begin(contentType: "application/json")
        var separator = "[\n"
        for name in names {
            try await response.write(separator + (try await info(of: name)).jsonText())
            separator = ",\n"
        }
        try await response.write(names.isEmpty ? "[]\n" : "\n]\n")
        try await response.finish()
    }

    private func info(of name: String) async throws -> JSONValue {
        do {
            let datastore = try await context.manager.existingDatastore(named: name)
            return ["key": .string(name), "info": try datastore.infoValue(context.activities)]
        } catch let error as StoreError where [.databaseNotFound, .invalidDatabaseName].contains(error.code) {
            return ["key": .string(name), "error": "not_found"]
        }
    }

    // MARK: Updates

    @Sendable private func updates(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let query = try FeedQuery(request, limits: context.limits)
        try await UpdatesFeed(manager: context.manager, query: query, response: response).run()
    }
}
