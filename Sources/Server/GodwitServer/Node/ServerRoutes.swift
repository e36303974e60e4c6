//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitViews
import HTTPTypes

/// The routes that concern the server as a whole: the welcome, the state, new ids, active tasks, and nodes.
struct ServerRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/", access: .anyone, work: .light, handler: welcome),
            Route(.get, "/_up", access: .anyone, work: .light, handler: up),
            Route(.get, "/_uuids", access: .anyone, work: .light, handler: uuids),
            Route(.get, "/favicon.ico", access: .login, work: .light, handler: icon),
            Route(.get, "/_active_tasks", access: .administrator, work: .light, handler: activeTasks),
            Route(.get, "/_membership", access: .administrator, work: .light, handler: membership),
        ]
    }

    /// Sends CouchDB's welcome, or redirects a browser to the page of a module.
    @Sendable private func welcome(_ context: RequestContext) async throws {
        if let page = server.homePage, context.request.acceptsPages {
            let headers: HTTPFields = [.location: page, .vary: "Accept"]
            return try await context.response.sendEmpty(.found, headers: headers)
        }
        let greeting: JSONValue = [
            "couchdb": "Welcome", "version": .string(couchDBVersion), "git_sha": "",
            "uuid": .string(server.settings.options.serverID), "features": ["partitioned", "scheduler", "search"],
            "vendor": ["name": "Godwit", "version": .string(godwitVersion)],
        ]
        try await context.response.sendJSON(body: greeting.line)
    }

    @Sendable private func up(_ context: RequestContext) async throws {
        try await context.response.sendJSON(body: (["status": "ok", "seeds": [:]] as JSONValue).line)
    }

    @Sendable private func uuids(_ context: RequestContext) async throws {
        let count = try context.request.target.count("count") ?? 1
        guard count <= server.limits.uuidsMax else {
            throw HTTPFailure.badRequest("count parameter too large: at most \(server.limits.uuidsMax)")
        }
        let ids = (0..<count).map { _ in JSONValue.string(DocumentIDs.next(server.settings.options.value)) }
        // These headers prevent caching. Otherwise, a cache between the server and the client could send the same ids
        // twice.
        let headers: HTTPFields = [
            .cacheControl: "no-cache", .pragma: "no-cache", .eTag: "\"\(DocumentID.random())\"",
        ]
        try await context.response.sendJSON(headers: headers, body: (["uuids": .array(ids)] as JSONValue).line)
    }

    @Sendable private func activeTasks(_ context: RequestContext) async throws {
        var backgroundTasks: [JSONValue] = []
        for work in server.backgroundWork.all { backgroundTasks += await work.runningTasks }
        let indexes = try server.manager.indexProgress.map { datastore, progress in
            let designs = try IndexedDatabase(datastore).designs(of: progress.index)
            return progress.taskValue(database: datastore.name, designs: designs)
        }
        let tasks = server.activities.list + indexes + backgroundTasks
        try await context.response.sendJSON(body: JSONValue.array(tasks).line)
    }

    @Sendable private func membership(_ context: RequestContext) async throws {
        let nodes: JSONValue = [.string(nodeName)]
        try await context.response.sendJSON(body: (["all_nodes": nodes, "cluster_nodes": nodes] as JSONValue).line)
    }

    @Sendable private func icon(_ context: RequestContext) async throws {
        let headers: HTTPFields = [.cacheControl: "public, max-age=86400"]
        try await context.response.send(
            contentType: "image/svg+xml", headers: headers, body: Array(ServerRoutes.iconText.utf8))
    }

    /// A flying bird.
    private static let iconText = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#7a4a21" d="M2 10c7 0 11 3 14 8 \
        3-5 7-8 14-8-5 3-8 7-10 13l-4 5-4-5C10 17 7 13 2 10z"/></svg>

        """
}

extension JSONValue {
    /// The JSON text with the newline that ends CouchDB's responses.
    package var line: [UInt8] { jsonBytes() + [UInt8(ascii: "\n")] }
}

extension HTTPField.Name {
    fileprivate static let pragma = HTTPField.Name("Pragma")!
}
