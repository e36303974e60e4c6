//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitStore
import HTTPTypes
import Logging

/// The routes of Mango queries and their explanations.
struct FindRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.post, "/{db}/_find", access: .database(.read), handler: server.timed(find)),
            Route(.get, "/{db}/_find", access: .database(.read), handler: observe),
            Route(.post, "/{db}/_explain", access: .database(.read), handler: explain),
            Route(.post, "/{db}/_partition/{partition}/_find", access: .database(.read), handler: server.timed(find)),
            Route(.get, "/{db}/_partition/{partition}/_find", access: .database(.read), handler: observe),
            Route(.post, "/{db}/_partition/{partition}/_explain", access: .database(.read), handler: explain),
        ]
    }

    private func request(_ request: ServerRequest, _ datastore: Datastore) async throws -> FindRequest {
        let partition = try datastore.partition(of: request)
        // The class `EventSource` of browsers can send only GET requests.
        if request.head.method == .get, let body = try request.target.json("query") {
            return try FindRequest(body, partition: partition)
        }
        let body = try await request.collectValue(limits: server.limits, depthMax: datastore.limits.depthMax)
        return try FindRequest(body, partition: partition)
    }

    /// Responds to a query with a feed that contains its results and the later changes of the results (``LiveFeed``).
    @Sendable private func observe(_ context: RequestContext) async throws {
        let request = context.request
        let feed = try FeedQuery(request, limits: server.limits)
        let method = request.head.method
        guard method == .post || method == .get && feed.kind == .eventsource && request.target.value("query") != nil
        else { throw HTTPFailure.methodNotAllowed([.post]) }
        guard feed.kind == .eventsource else {
            throw HTTPFailure.badQuery("Supported `feed` types of _find: normal, eventsource")
        }
        let datastore = try await context.datastore()
        let query = try await self.request(request, datastore).query
        try await LiveFeed(
            datastore: datastore, query: query, feed: feed, response: context.response,
            rowsMax: server.limits.liveRowsMax
        ).run()
    }

    @Sendable private func find(_ context: RequestContext) async throws -> Logger.Metadata? {
        let response = context.response
        if let feed = context.request.target.value("feed"), feed != "normal" {
            try await observe(context)
            return nil
        }
        let datastore = try await context.datastore()
        let findRequest = try await self.request(context.request, datastore)
        guard !findRequest.selectsNothing else {
            try await response.sendJSON(body: Array("{\"docs\":[\n]}\n".utf8))
            return [:]
        }
        let start = ContinuousClock.now
        let queryRun = try await QueryRun(PreparedQuery(asCouchDB: findRequest.query, in: datastore), in: datastore)
        var isLong = false
        var text = DocumentText(Array("{\"docs\":[\n".utf8))
        // The first document is read before the response begins. Therefore the status of the response can report errors
        // in the query.
        while try await queryRun.appendNext(to: &text, separator: ",\n", bytesMax: FindRoutes.pieceBytes(response)) > 0
        {
            if text.bytes.count >= FindRoutes.pieceBytes(response) {
                if !isLong { try await response.begin(contentType: "application/json") }
                isLong = true
                try await response.write(taking: &text.bytes)
            }
        }
        let details: Logger.Metadata = [
            "fields": "\(queryRun.plan.selectorFields.sorted().map(\.text).joined(separator: ","))",
            "documents_examined": "\(queryRun.statistics.documentsExamined)",
        ]
        text.append(raw: queryRun.statistics.resultsReturned == 0 ? "]" : "\n]")
        var summary: JSONObject = ["bookmark": .string(queryRun.nextBookmark ?? "nil")]
        if findRequest.showsStatistics { summary["execution_stats"] = queryRun.statistics.json(since: start) }
        if let warning = queryRun.warning { summary["warning"] = .string(warning) }
        for (name, value) in summary { text.append(raw: ",\n\"\(name)\":\(value.jsonText())") }
        text.append(raw: "}\n")
        if isLong {
            try await response.write(text.bytes)
            try await response.finish()
        } else {
            try await response.sendJSON(body: text.bytes)
        }
        return details
    }

    /// The length of the text that is collected before it is sent. It is half of the size of a slice, because the
    /// memory of a text that grows can be twice its length.
    private static func pieceBytes(_ response: ServerResponse) -> Int { response.sliceBytes / 2 }

    @Sendable private func explain(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let findRequest = try await self.request(context.request, datastore)
        let plan = try await QueryRun.plan(
            for: PreparedQuery(asCouchDB: findRequest.query, in: datastore), in: datastore)
        let explanation = plan.explanation(
            database: datastore.name, isPartitioned: datastore.isPartitioned, options: findRequest.options)
        try await context.response.sendJSON(body: JSONValue.object(explanation).line)
    }
}

extension QueryStatistics {
    fileprivate func json(since start: ContinuousClock.Instant) -> JSONValue {
        let time = (ContinuousClock.now - start).components
        let milliseconds = Double(time.seconds) * 1_000 + Double(time.attoseconds) / 1e15
        return [
            "total_keys_examined": .integer(Int64(keysExamined)),
            "total_docs_examined": .integer(Int64(documentsExamined)), "total_quorum_docs_examined": 0,
            "results_returned": .integer(Int64(resultsReturned)),
            "execution_time_ms": .double((milliseconds * 1_000).rounded() / 1_000),
        ]
    }
}
