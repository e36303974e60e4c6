//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitViews
import HTTPTypes

/// The routes of list functions: functions of design documents that render the rows of a view.
struct ListRoutes {
    let server: ServerContext
    /// The memory budget for the unsent output of all list functions.
    let budget: ListOutputBudget

    var routes: [Route] {
        ["/{db}/_design/{design}/_list/{list}/{source}", "/{db}/_design/{design}/_list/{list}/{source}/{view}"]
            .flatMap { path in
                [
                    Route(.get, path, access: .database(.read), handler: list),
                    Route(.post, path, access: .database(.read), handler: list),
                ]
            }
            + [
                Route(.get, "/{db}/_design/{design}/_list", access: .database(.read), work: .light, handler: refuse),
                Route(
                    .get, "/{db}/_design/{design}/_list/{list}", access: .database(.read), work: .light,
                    handler: refuse),
            ]
    }

    @Sendable private func refuse(_: RequestContext) async throws {
        throw HTTPFailure(.notFound, "list_error", "Invalid path.")
    }

    @Sendable private func list(_ context: RequestContext) async throws {
        let database = try await context.database()
        let functions = try database.functions(context.request)
        let name = context.request.parameter("list")
        try functions.check("lists", name)
        var functionRequest = try await FunctionRequest(
            reading: context.request, database: database, limits: server.limits)
        functionRequest.bodyIsJSON = true
        var rows = try await rows(functionRequest, in: database.datastore)
        let head = Array("{\(try rows.head().joined(separator: ","))}".utf8)
        let requestText = try await server.functionRequest(functionRequest)
        let conversation = ListConversation(rows, context.response, budget: budget)
        do {
            let answer = try await functions.call("list", [Array(name.utf8), head, requestText]) { question in
                await conversation.reply(to: question)
            }
            try await conversation.finish(saying: answer.tape.text(answer.index))
        } catch {
            try await conversation.finish(failingWith: error)
        }
    }

    /// Returns the rows for a list function: those of the view in the path, or those of `_all_docs`.
    private func rows(_ functionRequest: FunctionRequest, in datastore: Datastore) async throws -> ListRows {
        let request = functionRequest.request
        let body = try functionRequest.body.map { try JSONValue(parsing: $0, limits: datastore.limits.json) }
        // If `source` is the last segment of the path, it is the name of a view. If another segment follows, `source`
        // is the name of a design document, and the other segment is the name of a view in this design document.
        let source = request.parameter("source")
        let viewSegment = request.parameter("view")
        let (design, view) = viewSegment.isEmpty ? (request.parameter("design"), source) : (source, viewSegment)
        if view == "_all_docs" {
            let query = try AllDocsQuery(request.target, body: body)
            return .documents(AllDocsRows(query, of: .everything, in: datastore))
        }
        let parameters = try ViewParameters(request.target, body: body)
        let plan = try await datastore.plan(
            parameters.query, view: view, design: DocumentID.designPrefix + design)
        try parameters.checkGrouping(plan)
        return .view(try ViewRowTexts(plan: plan, parameters: parameters, datastore: datastore))
    }
}
