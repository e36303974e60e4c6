//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import Logging

/// The objects that the handlers of a server share.
struct ServerContext: Sendable {
    let manager: DatastoreManager
    let limits: ServerLimits
    let settings: ServerSettings
    let administrators: Administrators
    let keys: KeyDirectory
    let securities: SecurityObjects
    let rightsChanges: RightsChanges
    let gatekeeper: Gatekeeper
    let databases: DatabaseOpener
    let work: RequestWork
    let openRequests: OpenRequests
    let activities = Activities()
    let backgroundWork = BackgroundWorkList()
    let statistics: Statistics
    let logger: Logger
    let audit: AuditLog
    /// The first segments of the modules' paths, with the names of the modules.
    let reservedNames: [String: String]

    /// The interface of the server for its modules.
    var running: RunningServer {
        RunningServer(
            manager: manager, authenticator: gatekeeper.authenticator, logger: logger, settings: settings,
            securities: securities, openRequests: openRequests, backgroundWork: backgroundWork)
    }

    /// The watch that ends requests and work whose principals lost their rights.
    var rightsWatch: RightsWatch {
        RightsWatch(
            manager: manager, gatekeeper: gatekeeper, openRequests: openRequests, backgroundWork: backgroundWork,
            changes: rightsChanges, audit: audit, logger: logger)
    }
}
