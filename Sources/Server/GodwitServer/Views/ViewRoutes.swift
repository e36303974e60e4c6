//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitViews
import HTTPTypes
import Logging

/// The routes of views, of information about their indexes, and of the cleanup of indexes.
struct ViewRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/{db}/_design/{design}/_view/{view}", access: .database(.read), handler: server.timed(query)),
            Route(.post, "/{db}/_design/{design}/_view/{view}", access: .database(.read), handler: server.timed(query)),
            Route(
                .post, "/{db}/_design/{design}/_view/{view}/queries", access: .database(.read),
                handler: server.timed(queries)),
            Route(
                .get, "/{db}/_partition/{partition}/_design/{design}/_view/{view}", access: .database(.read),
                handler: server.timed(query)),
            Route(
                .post, "/{db}/_partition/{partition}/_design/{design}/_view/{view}", access: .database(.read),
                handler: server.timed(query)),
            Route(.get, "/{db}/_design/{design}/_info", access: .database(.read), handler: info),
            Route(.get, "/{db}/_temp_view", access: .database(.read), work: .light, handler: refuseTemporary),
            Route(.post, "/{db}/_temp_view", access: .database(.read), work: .light, handler: refuseTemporary),
            Route(.post, "/{db}/_view_cleanup", access: .upkeep, handler: cleanUp),
        ]
    }

    @Sendable private func query(_ context: RequestContext) async throws -> Logger.Metadata? {
        server.statistics.viewReads.add(1)
        let (request, response) = (context.request, context.response)
        let datastore = try await context.datastore()
        var body: JSONValue?
        if request.head.method == .post { body = try await self.body(request, datastore) }
        if body?.objectValue?["queries"] != nil {
            throw HTTPFailure.badRequest("Send several queries to \(request.parameter("view"))/queries.")
        }
        let parameters = try ViewParameters(request.target, body: body)
        let plan = try await plan(parameters, request, datastore)
        let rows = try ViewRowTexts(plan: plan, parameters: parameters, datastore: datastore)
        var writer = ViewResponseWriter(rows, to: response)
        try await writer.prepare()
        try await response.begin(contentType: "application/json")
        try await writer.write()
        try await response.write("\n")
        try await response.finish()
        return [:]
    }

    @Sendable private func queries(_ context: RequestContext) async throws -> Logger.Metadata? {
        server.statistics.viewReads.add(1)
        let datastore = try await context.datastore()
        try await answer(try await body(context.request, datastore), context.request, datastore, context.response)
        return [:]
    }

    /// Responds to several queries. All of them are validated before the response begins.
    private func answer(
        _ body: JSONValue, _ request: ServerRequest, _ datastore: Datastore, _ response: ServerResponse
    ) async throws {
        guard let queryValues = body.objectValue?["queries"]?.arrayValue else {
            throw HTTPFailure.badRequest("`queries` member must be an array.")
        }
        guard queryValues.count <= ServerLimits.queriesMax else { throw HTTPFailure.tooManyQueries }
        var writers: [ViewResponseWriter] = []
        for queryValue in queryValues {
            let parameters = try ViewParameters(request.target, ofSeveral: queryValue)
            let plan = try await plan(parameters, request, datastore)
            let rows = try ViewRowTexts(plan: plan, parameters: parameters, datastore: datastore)
            writers.append(ViewResponseWriter(rows, to: response))
        }
        if !writers.isEmpty { try await writers[0].prepare() }
        try await response.begin(contentType: "application/json")
        try await response.write("{\"results\":[\n")
        for index in writers.indices {
            if index > 0 { try await response.write(",\n") }
            try await writers[index].write()
        }
        try await response.write(writers.isEmpty ? "]}\n" : "\n]}\n")
        try await response.finish()
    }

    private func body(_ request: ServerRequest, _ datastore: Datastore) async throws -> JSONValue {
        try await request.collectValue(limits: server.limits, depthMax: datastore.limits.depthMax)
    }

    private func plan(
        _ parameters: ViewParameters, _ request: ServerRequest, _ datastore: Datastore
    ) async throws -> ViewPlan {
        let partition = try datastore.partition(of: request)
        return try await datastore.plan(
            parameters.query, view: request.parameter("view"),
            design: DocumentID.designPrefix + request.parameter("design"), partition: partition)
    }

    @Sendable private func refuseTemporary(_: RequestContext) async throws {
        throw HTTPFailure(.gone, "gone", "Temporary views are not supported. Write a view into a design document.")
    }

    // MARK: Indexes

    @Sendable private func info(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let name = context.request.parameter("design")
        let design = DocumentID.designPrefix + name
        let mango = try datastore.queryIndexInformation(of: design)
        let information: IndexInformation
        if let mango { information = mango } else { information = try await datastore.viewInformation(of: design) }
        let body: JSONValue = ["name": .string(name), "view_index": information.json(in: datastore)]
        try await context.response.sendJSON(body: body.jsonBytes())
    }

    @Sendable private func cleanUp(_ context: RequestContext) async throws {
        try await context.datastore().removeUnwantedIndexes(of: ViewIndex.kindName)
        try await context.response.sendJSON(.accepted, body: okLine)
    }
}
