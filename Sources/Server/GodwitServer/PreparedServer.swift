//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
package import HummingbirdCore
import Logging
package import NIOCore

/// A server that is ready to handle requests, from a socket or from a test.
package struct PreparedServer: Sendable {
    /// The routes of all modules, and the route that lists them.
    let routes: [Route]
    private let context: ServerContext
    private let modules: [any ServerModule]
    private let responder: Responder
    /// The further listeners of the modules, with the responders for their routes.
    private let listeners: [(listener: ModuleListener, responder: Responder)]

    init(context: ServerContext, modules: [any ServerModule], accessLog: Logger?) {
        self.context = context
        self.modules = modules
        let moduleRoutes = modules.flatMap(\.routes)
        routes = moduleRoutes + [RouteTable(moduleRoutes).route]
        responder = PreparedServer.responder(
            routes, context, accessLog,
            failureForms: modules.reduce(into: [:]) { $0.merge($1.failureForms) { form, _ in form } })
        listeners = modules.flatMap(\.listeners).map { listener in
            let responder = PreparedServer.responder(
                listener.routes, context, accessLog, failureForms: [:], otherForm: listener.failureForm)
            return (listener, responder)
        }
    }

    private static func responder(
        _ routes: [Route], _ context: ServerContext, _ accessLog: Logger?, failureForms: [String: FailureForm],
        otherForm: FailureForm? = nil
    ) -> Responder {
        Responder(
            router: Router(routes), gatekeeper: context.gatekeeper, databases: context.databases,
            openRequests: context.openRequests, work: context.work, statistics: context.statistics,
            audit: context.audit, logger: context.logger, accessLog: accessLog, failureForms: failureForms,
            otherForm: otherForm)
    }

    /// The further listeners of the modules, each with the closure that handles one of its requests.
    var responses: [(listener: ModuleListener, respond: HTTPChannelHandler.Responder)] {
        listeners.map { listener, responder in
            (listener, responder.closure)
        }
    }

    private var history: StoredHistory {
        StoredHistory(manager: context.manager, statistics: context.statistics, logger: context.logger)
    }

    /// Starts the modules. If a module fails to start, the modules that already started are stopped.
    func start() async throws {
        await history.restore()
        for (index, module) in modules.enumerated() {
            do {
                try await module.start(in: context.running)
            } catch {
                for started in modules[..<index] { await started.stop() }
                throw error
            }
        }
    }

    /// The closure that handles one request. Its last argument is the connection of the request, which provides the
    /// address of the client, and shows whether the client is still connected.
    package var respond: @Sendable (Request, consuming ResponseWriter, any Channel) async throws -> Void {
        responder.closure
    }

    /// Applies changes of rights and runs the modules, until the task is cancelled.
    package func work() async {
        let rights = context.rightsWatch
        await withTaskGroup { group in
            group.addTask { await rights.run() }
            group.addTask { await context.recorder.run() }
            group.addTask { await history.run() }
            for module in modules { group.addTask { await run(module) } }
        }
    }

    /// Does the background work of a module, as soon as it is not held.
    private func run(_ module: any ServerModule) async {
        let (journal, work) = (context.manager.backgroundWork, BackgroundWorkID(.module, module.name))
        if let reason = journal.reasonToHold(work) {
            context.logger.error("background work is held", metadata: ["work": "\(work)", "reason": "\(reason)"])
            await journal.waitUntilFree(work)
        }
        guard !Task.isCancelled else { return }
        try? await journal.run(work) { await module.run() }
    }

    /// Stops the modules. Call it after the last request has ended.
    func stop() async {
        await history.store()
        for module in modules { await module.stop() }
    }

    /// Cancels the costly request of a connection whose client disconnected.
    func connectionEnded(_ channel: any Channel) { context.openRequests.connectionEnded(channel) }

    /// Starts a background task. Call this method when the server begins to stop. Shortly before the time limit for the
    /// stop, the task cancels all requests that still run, except exempt requests.
    func cancelBeforeStop() { context.openRequests.cancelBeforeStop() }
}
