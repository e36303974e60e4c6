//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// The server module that runs the replications of `_replicate` and of the documents in `_replicator`.
struct ReplicationModule: ServerModule {
    let name = "Replication"
    private let server: ServerContext
    private let scheduler: ReplicationScheduler

    init(server: ServerContext) {
        self.server = server
        scheduler = ReplicationScheduler(
            endpoints: EndpointFinder(
                manager: server.manager, gatekeeper: server.gatekeeper, databases: server.databases),
            limits: server.limits, settings: server.settings, audit: server.audit,
            journal: server.manager.backgroundWork, logger: server.logger)
    }

    var routes: [Route] { ReplicationRoutes(server: server, scheduler: scheduler).routes }

    func start(in running: RunningServer) { running.backgroundWork.add(scheduler) }

    func run() async {
        await ReplicatorDatabase(
            manager: server.manager, scheduler: scheduler, accounts: server.gatekeeper.authenticator.accounts,
            logger: server.logger
        ).run()
    }
}
