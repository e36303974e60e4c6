//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitServer
import GodwitStore
import ProgramKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The server module of the Location Tracker. It adds the routes of the API at `/api` and the map at `/tracker` to
/// GodwitBackend, which does most of the work.
///
/// ```swift
/// try await options.serve(applications: [.locationTracker]) { [TrackerModule(backend: $0)] }
/// ```
struct TrackerModule: ServerModule {
    /// See ``ServerModule/name``.
    let name = "Location Tracker"

    private let backend: Backend

    /// Creates the module.
    ///
    /// - Parameter backend: The back end with ``GodwitBackend/Application/locationTracker``.
    init(backend: Backend) { self.backend = backend }

    /// See ``ServerModule/routes``.
    var routes: [Route] { TrackerRoutes(backend: backend).routes + PageRoutes(backend: backend).routes }

    /// Loads the places that do not exist yet. A place that was deleted is not loaded again.
    func start(in server: RunningServer) async throws {
        let places = try await server.manager.existingDatastore(named: Places.databaseName)
        _ = try await Places.load(
            into: places, nowMilliseconds: Int64(Date.now.timeIntervalSince1970 * 1_000))
    }
}

extension EmbeddedFiles {
    /// The files of the page, and the data of the demo.
    static let locationTracker = EmbeddedFiles("location-tracker")
}
