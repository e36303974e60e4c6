//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ServerContext {
    /// Creates the modules of every server, in the order in which their routes are listed.
    ///
    /// - Parameters:
    ///   - tiles: A file of tiles that are drawn above the base map of the world; `nil` for none.
    ///   - backups: The directory of the backups; `nil` if no backups are made.
    func modules(tiles: TileFile?, backups: String?) -> [any ServerModule] {
        [
            RouteGroup(
                name: "Server",
                routes: ServerRoutes(server: self).routes + DirectoryRoutes(server: self).routes
                    + NodeRoutes(server: self).routes + RequestRoutes(server: self).routes
                    + WorkRoutes(server: self).routes
                    + ClusterRoutes(server: self).routes),
            ReplicationModule(server: self),
            RouteGroup(
                name: "Accounts and settings",
                routes: SessionRoutes(server: self).routes + ConfigRoutes(server: self).routes
                    + SecurityRoutes(server: self).routes),
            RouteGroup(
                name: "Databases",
                routes: DatabaseRoutes(server: self).routes + InfoRoutes(server: self).routes
                    + UpkeepRoutes(server: self).routes + BackupRoutes(server: self).routes
                    + AllDocsRoutes(server: self).routes),
            RouteGroup(
                name: "Queries",
                routes: FindRoutes(server: self).routes + IndexRoutes(server: self).routes
                    + SearchRoutes(server: self).routes + SearchIndexRoutes(server: self).routes
                    + GeoRoutes(server: self).routes),
            BackupModule(server: self, directory: backups), MapModule(tiles: tiles), BaseMapModule(),
            RouteGroup(name: "Views", routes: ViewRoutes(server: self).routes),
            FunctionsModule(server: self),
            RouteGroup(name: "Feeds", routes: ChangesRoutes(server: self).routes),
            RouteGroup(
                name: "Documents",
                routes: BulkRoutes(server: self).routes + RevisionsRoutes(server: self).routes
                    + LocalRoutes(server: self).routes + DocumentRoutes(server: self).routes
                    + AttachmentRoutes(server: self).routes + ArrivalRoutes(server: self).routes),
        ]
    }
}

/// A module that has only routes.
private struct RouteGroup: ServerModule {
    let name: String
    let routes: [Route]
}
