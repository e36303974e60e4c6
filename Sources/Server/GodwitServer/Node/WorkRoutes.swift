//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes of background work that is held, because it was running when the server ended several times.
struct WorkRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/_godwit/work", access: .administrator, work: .light, handler: list),
            Route(
                .post, "/_godwit/work", access: .administrator, work: .light, audit: "background work started",
                handler: start),
        ]
    }

    private var journal: WorkJournal { server.manager.backgroundWork }

    @Sendable private func list(_ context: RequestContext) async throws {
        let held = journal.held.map { work -> JSONValue in
            ["id": .string(work.id), "work": .string(work.name), "ends": .integer(Int64(work.endCount))]
        }
        let answer: JSONValue = [
            "safe": .bool(journal.isSafe), "held": .array(held), "last_fault": journal.lastFault?.json ?? .null,
        ]
        try await context.response.sendJSON(body: answer.line)
    }

    @Sendable private func start(_ context: RequestContext) async throws {
        let body = try await context.request.collectValue(limits: server.limits, depthMax: JSONLimits.valueDepthMax)
        guard let id = body["start"]?.stringValue else {
            throw HTTPFailure.badRequest("The body needs the member start: the id of a work in GET /_godwit/work.")
        }
        guard journal.start(id) else {
            throw HTTPFailure(.notFound, "not_found", "No work with this id is held.")
        }
        try await context.response.sendJSON(body: okLine)
    }
}

extension WorkJournal.Fault {
    fileprivate var json: JSONValue {
        [
            "signal": signal.map { .string($0) } ?? .null, "functions": .array(functions.map { .string($0) }),
            "running": .array(running.map { .string($0) }),
        ]
    }
}
