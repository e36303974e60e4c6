//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import Logging

/// What the handlers of one server share.
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
    /// First pieces of modules' paths, with the module's name.
    let reservedNames: [String: String]

    /// The server as its modules use it.
    var running: RunningServer {
        RunningServer(
            manager: manager, authenticator: gatekeeper.authenticator, logger: logger, settings: settings,
            securities: securities, openRequests: openRequests, backgroundWork: backgroundWork)
    }

    /// Ends what is under way for those who lost the right to it.
    var rightsWatch: RightsWatch {
        RightsWatch(
            manager: manager, gatekeeper: gatekeeper, openRequests: openRequests, backgroundWork: backgroundWork,
            changes: rightsChanges, audit: audit, logger: logger)
    }
}
