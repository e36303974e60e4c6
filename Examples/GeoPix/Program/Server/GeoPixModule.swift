//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GeoPixCore
import GodwitBackend
import GodwitClientNIO
import GodwitJSON
import GodwitServer
import GodwitStore
import GodwitSync
import GodwitTransport
import PhotoKit
import ProgramKit

/// The server module of GeoPix: the map, the list and the pictures, which are public to read.
///
/// ```swift
/// try await options.serve(applications: [.geoPix()]) { [GeoPixModule(backend: $0)] }
/// ```
final class GeoPixModule: ServerModule {
    /// The name of the database with the photos.
    static let database = "geopix"

    /// See ``ServerModule/name``.
    let name = "GeoPix"
    /// The map.
    let homePage: String? = "/map"
    /// `true`, because new photos are also announced over a WebSocket.
    let usesWebSockets = true

    private let backend: Backend
    private let gallery = PhotoGallery()
    private let thumbnails: Thumbnails
    private let remote: RemoteEndpoint?

    /// Creates the module.
    ///
    /// - Parameters:
    ///   - backend: The back end with ``GodwitBackend/Application/geoPix(realms:declaration:)``.
    ///   - photos: The processor that makes thumbnails.
    ///   - service: A database service whose database `geopix` is pulled continuously; `nil` for none.
    /// - Throws: ``GodwitTransport/ReplicationError`` if the URL of the service is not valid.
    init(
        backend: Backend, photos: PhotoWorkers = PhotoWorkers(), service: BoundService? = nil
    ) throws(ReplicationError) {
        self.backend = backend
        remote = try service.map { (service) throws(ReplicationError) in
            RemoteEndpoint(
                try RemoteURL("\(service.url)/\(GeoPixModule.database)"), transport: AsyncHTTPTransport())
        }
        thumbnails = Thumbnails(photos)
    }

    /// See ``ServerModule/routes``.
    var routes: [Route] {
        GalleryRoutes(gallery: gallery, thumbnails: thumbnails).routes + PageRoutes(gallery: gallery).routes
            + TokenRoutes(backend: backend).routes
    }

    /// Reads the photos for the map.
    func start(in server: RunningServer) async throws {
        let photos = try await server.manager.existingDatastore(named: GeoPixModule.database)
        let kept = try await server.manager.datastore(named: Thumbnails.database)
        await thumbnails.start(kept, photos: photos)
        try await gallery.start(photos)
    }

    /// Follows the changes of the photos, and pulls the photos of the bound service, until the task is cancelled or the
    /// database is closed.
    func run() async {
        let pulling = Task { await pull() }
        await gallery.follow { [thumbnails] change in await thumbnails.take(change) }
        pulling.cancel()
    }

    /// Pulls the photos of the bound service until the task is cancelled or the replication fails permanently.
    private func pull() async {
        guard let remote, let photos = try? gallery.datastore() else { return }
        let selection = try? ReplicationSelection.matching(["type": .string(PhotoEntry.type)])
        var replicator = Replicator(.pull, photos, with: remote, selection: selection ?? ReplicationSelection())
        replicator.isContinuous = true
        _ = try? await replicator.run()
    }
}
