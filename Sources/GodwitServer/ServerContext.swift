//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// What the handlers of one server share.
struct ServerContext: Sendable {
    let manager: DatastoreManager
    let limits: ServerLimits
    /// First pieces of modules' paths, with the module's name.
    let reservedNames: [String: String]

    /// The database that a request's path names.
    func datastore(_ request: ServerRequest) async throws -> Datastore {
        do {
            return try await manager.existingDatastore(named: request.parameter("db"))
        } catch  where error.code == .invalidDatabaseName {
            // As in CouchDB, a name that cannot be is a database that is not there, except when it is to be made.
            throw HTTPFailure.databaseMissing
        }
    }

    /// All routes of CouchDB's API that are there, and those that say that they are not.
    var routes: [Route] {
        ServerRoutes(context: self).routes
            + DatabaseRoutes(context: self).routes
            + AllDocsRoutes(context: self).routes
            + ChangesRoutes(context: self).routes
            + BulkRoutes(context: self).routes
            + RevisionsRoutes(context: self).routes
            + LocalRoutes(context: self).routes
            + DocumentRoutes(context: self).routes
            + AttachmentRoutes(context: self).routes
            + absentRoutes
    }
}
