//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes

/// The routes of the open requests that an administrator can end: costly requests, feeds, and all requests of the users
/// of applications.
struct RequestRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/_godwit/requests", access: .administrator, work: .light, handler: list),
            Route(
                .delete, "/_godwit/requests/{request}", access: .administrator, work: .light, audit: "request ended",
                handler: end),
        ]
    }

    /// Sends a list of the oldest open requests. The list does not contain the parameters of their URLs, because these
    /// may contain secrets.
    @Sendable private func list(_ context: RequestContext) async throws {
        let open = server.openRequests.list
        let requests = open.prefix(ServerLimits.requestsListedMax).map { number, entry -> JSONValue in
            let path = entry.request.head.path?.prefix { $0 != "?" } ?? ""
            return [
                "id": .string("\(number)"), "user": entry.principal.name.map { .string($0) } ?? .null,
                "address": .string(entry.request.peerAddress), "method": .string(entry.request.head.method.rawValue),
                "path": .string(String(path)), "started": .integer(Int64(entry.started)),
            ]
        }
        let answer: JSONValue = ["total": .integer(Int64(open.count)), "requests": .array(requests)]
        try await context.response.sendJSON(body: answer.line)
    }

    @Sendable private func end(_ context: RequestContext) async throws {
        guard let number = Int(context.request.parameter("request")), server.openRequests.cancel(number) else {
            throw HTTPFailure(.notFound, "not_found", "No such request is open.")
        }
        try await context.response.sendJSON(body: okLine)
    }
}
