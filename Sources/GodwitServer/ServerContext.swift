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
    let scheduler: ReplicationScheduler
    let work: RequestWork
    let openRequests: OpenRequests
    let activities = Activities()
    let lists = ListRoom()
    let statistics: Statistics
    let logger: Logger
    let audit: AuditLog
    /// The base map of maps; `nil` for the countries of the world.
    let tiles: TileFile?
    /// First pieces of modules' paths, with the module's name.
    let reservedNames: [String: String]

    /// The server as its modules use it.
    var running: RunningServer {
        RunningServer(
            manager: manager, authenticator: gatekeeper.authenticator, logger: logger, settings: settings,
            securities: securities, openRequests: openRequests, scheduler: scheduler)
    }

    /// Ends what is under way for those who lost the right to it.
    var rightsWatch: RightsWatch {
        RightsWatch(
            manager: manager, gatekeeper: gatekeeper, openRequests: openRequests, scheduler: scheduler,
            changes: rightsChanges, audit: audit, logger: logger)
    }

    /// All routes of CouchDB's API.
    var routes: [Route] {
        ServerRoutes(server: self).routes
            + DirectoryRoutes(server: self).routes
            + NodeRoutes(server: self).routes
            + ClusterRoutes(server: self).routes
            + ReplicationRoutes(server: self).routes
            + SessionRoutes(server: self).routes
            + ConfigRoutes(server: self).routes
            + SecurityRoutes(server: self).routes
            + DatabaseRoutes(server: self).routes
            + InfoRoutes(server: self).routes
            + UpkeepRoutes(server: self).routes
            + BackupRoutes(server: self).routes
            + AllDocsRoutes(server: self).routes
            + FindRoutes(server: self).routes
            + IndexRoutes(server: self).routes
            + SearchRoutes(server: self).routes
            + SearchIndexRoutes(server: self).routes
            + GeoRoutes(server: self).routes
            + MapRoutes(server: self).routes
            + ViewRoutes(server: self).routes
            + ShowRoutes(server: self).routes
            + ListRoutes(server: self).routes
            + UpdateRoutes(server: self).routes
            + RewriteRoutes(server: self).routes
            + ChangesRoutes(server: self).routes
            + BulkRoutes(server: self).routes
            + RevisionsRoutes(server: self).routes
            + LocalRoutes(server: self).routes
            + DocumentRoutes(server: self).routes
            + AttachmentRoutes(server: self).routes
            + ArrivalRoutes(server: self).routes
    }
}
