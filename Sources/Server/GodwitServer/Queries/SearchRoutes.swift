//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitText
import HTTPTypes
import Logging

/// The routes of searches in text indexes, with Cloudant's API.
struct SearchRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(
                .get, "/{db}/_design/{design}/_search/{index}", access: .database(.read), handler: server.timed(search)),
            Route(
                .post, "/{db}/_design/{design}/_search/{index}", access: .database(.read), handler: server.timed(search)
            ),
            Route(
                .get, "/{db}/_partition/{partition}/_design/{design}/_search/{index}", access: .database(.read),
                handler: server.timed(search)),
            Route(
                .post, "/{db}/_partition/{partition}/_design/{design}/_search/{index}", access: .database(.read),
                handler: server.timed(search)),
        ]
    }

    private func parameters(_ request: ServerRequest, _ datastore: Datastore) async throws -> SearchParameters {
        let partition = try datastore.partition(of: request)
        let design = DocumentID.designPrefix + request.parameter("design")
        let index = request.parameter("index")
        guard request.head.method == .post else {
            return try SearchParameters(request.target, design: design, index: index, partition: partition)
        }
        let body = try await request.collectValue(limits: server.limits, depthMax: datastore.limits.depthMax)
        guard let members = body.objectValue else { throw HTTPFailure.badRequest("Request body must be a JSON object") }
        return try SearchParameters(members, design: design, index: index, partition: partition)
    }

    @Sendable private func search(_ context: RequestContext) async throws -> Logger.Metadata? {
        let datastore = try await context.datastore()
        let (parameters, searchRun) = try await refusingAsCouchDB {
            let parameters = try await self.parameters(context.request, datastore)
            return (parameters, try await SearchRun(parameters.request, in: datastore))
        }
        try await SearchWriter(run: searchRun, parameters: parameters, response: context.response).write()
        return [:]
    }
}

/// Runs `body`, and maps errors of a search to CouchDB's errors.
func refusingAsCouchDB<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch let error as TextError {
        // The name `text_search_error` is only for Mango queries. In the response to a search, the name of this error
        // is `bad_request`.
        throw error.error == "text_search_error" ? HTTPFailure.badRequest(error.reason) : HTTPFailure(error)
    } catch let error as SearchIndexError {
        throw HTTPFailure(error)
    }
}

extension HTTPFailure {
    fileprivate init(_ error: SearchIndexError) {
        switch error {
        case .unsupported: self.init(.notImplemented, "not_implemented", error.reason)
        case .notForOwners: self.init(.badRequest, "bad_request", error.reason)
        case .undefined: self.init(.badRequest, "invalid_design_doc", error.reason)
        case .missing, .ambiguous, .gone: self.init(.notFound, "not_found", error.reason)
        }
    }
}
