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

    /// The database that a request's path names.
    func datastore(_ request: ServerRequest) async throws -> Datastore {
        do {
            return try await manager.existingDatastore(named: request.parameter("db"))
        } catch  where error.code == .invalidDatabaseName {
            // As in CouchDB, a name that cannot be is a database that is not there, except when it is to be made.
            throw HTTPFailure.databaseMissing
        }
    }

    /// The database that a request's path names, in the hands of who asks.
    func database(_ request: ServerRequest, _ principal: Principal) async throws -> OpenDatabase {
        let datastore = try await datastore(request)
        return OpenDatabase(
            datastore: datastore, principal: principal,
            rights: try await gatekeeper.rights(of: principal, in: datastore.name),
            options: settings.options, securities: securities,
            accounts: gatekeeper.authenticator.accounts)
    }

    /// All routes of CouchDB's API.
    var routes: [Route] {
        ServerRoutes(context: self).routes
            + DirectoryRoutes(context: self).routes
            + NodeRoutes(context: self).routes
            + ClusterRoutes(context: self).routes
            + ReplicationRoutes(context: self).routes
            + SessionRoutes(context: self).routes
            + ConfigRoutes(context: self).routes
            + SecurityRoutes(context: self).routes
            + DatabaseRoutes(context: self).routes
            + InfoRoutes(context: self).routes
            + UpkeepRoutes(context: self).routes
            + BackupRoutes(context: self).routes
            + AllDocsRoutes(context: self).routes
            + FindRoutes(context: self).routes
            + IndexRoutes(context: self).routes
            + SearchRoutes(context: self).routes
            + SearchIndexRoutes(context: self).routes
            + GeoRoutes(context: self).routes
            + MapRoutes(context: self).routes
            + ViewRoutes(context: self).routes
            + ShowRoutes(context: self).routes
            + ListRoutes(context: self).routes
            + UpdateRoutes(context: self).routes
            + RewriteRoutes(context: self).routes
            + ChangesRoutes(context: self).routes
            + BulkRoutes(context: self).routes
            + RevisionsRoutes(context: self).routes
            + LocalRoutes(context: self).routes
            + DocumentRoutes(context: self).routes
            + AttachmentRoutes(context: self).routes
            + ArrivalRoutes(context: self).routes
    }
}
