//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import Logging

/// The objects that the handlers of a server share.
struct ServerContext: Sendable {
    let manager: DatastoreManager
    let fixedLimits: ServerLimits
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
    let slowQueries = SlowQueries()
    let logger: Logger
    let audit: AuditLog
    let recorder: AuditRecorder
    /// The first segments of the modules' paths.
    let reservedNames: [String: ReservedName]
    /// The path of the page to which browsers are redirected from `/`; `nil` if they are not redirected.
    let homePage: String?
    /// The pages of all modules in the web console.
    let consolePages: [ConsolePage]

    /// The limits that hold now.
    var limits: ServerLimits {
        var limits = fixedLimits
        limits.requestBytesMax = settings.options.requestBytesMax
        limits.jsonRequestBytesMax = min(limits.jsonRequestBytesMax, limits.requestBytesMax)
        limits.controlRequestBytesMax = min(limits.controlRequestBytesMax, limits.requestBytesMax)
        return limits
    }

    /// The interface of the server for its modules.
    var running: RunningServer {
        RunningServer(
            manager: manager, authenticator: gatekeeper.authenticator, logger: logger, settings: settings,
            securities: securities, openRequests: openRequests, backgroundWork: backgroundWork,
            recorder: recorder, consolePages: consolePages)
    }

    /// The watch that ends requests and background work when their principals lose their rights.
    var rightsWatch: RightsWatch {
        RightsWatch(
            manager: manager, gatekeeper: gatekeeper, openRequests: openRequests, backgroundWork: backgroundWork,
            changes: rightsChanges, audit: audit, logger: logger)
    }
}

/// A name that no new database can have, because it is the first segment of a module's paths.
struct ReservedName: Sendable {
    /// The module's name.
    let module: String
    /// For each route of the module whose path begins with this name, the condition under which the route is present.
    let conditions: [@Sendable () -> Bool]

    /// Whether one of the routes is present now.
    var isInUse: Bool { conditions.contains { $0() } }
}
