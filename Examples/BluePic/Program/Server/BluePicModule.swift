//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitObjectStore
import GodwitServer
import GodwitStore
import Logging
import PhotoKit
import Synchronization

/// The server module of BluePic: the middle tier between the devices, the database and the object storage.
///
/// ```swift
/// try await options.serve(applications: [.bluePic()]) { backend, objects in
///     [BluePicModule(pictures: try objects.store(of: BluePicModule.account))]
/// }
/// ```
final class BluePicModule: ServerModule {
    /// The id of the application. The accounts of the application are the users.
    static let application = "bluepic"
    /// The name of the database with the images and profiles.
    static let database = "bluepic"
    /// The account of the object storage that contains the pictures.
    static let account = "bluepic"

    /// See ``ServerModule/name``.
    let name = "BluePic"
    /// The page with the newest images.
    let homePage: String? = "/explore"

    private let feed = ImageFeed()
    private let storage: PictureStorage
    private let writer: ImageWriter
    private let sweeper: OrphanSweeper
    private let limits = RequestLimits()
    private let log = ModuleLog()

    /// Creates the module.
    ///
    /// - Parameters:
    ///   - pictures: The storage of the pictures.
    ///   - photos: The processor that makes pictures and thumbnails of uploaded files.
    ///   - jobs: The jobs that work on images after they were posted.
    ///   - sweepSeconds: The time between two searches for pictures that belong to no image, in seconds.
    ///   - uploadSecondsMax: An uploaded picture is removed if it was not posted within this time, in seconds.
    init(
        pictures: any ObjectStore, photos: PhotoWorkers = PhotoWorkers(), jobs: [any ImageJob] = [HashtagJob()],
        sweepSeconds: Double = 600, uploadSecondsMax: Double = 86_400
    ) {
        storage = PictureStorage(store: pictures, photos: photos)
        let jobs = ImageJobs(jobs, feed: feed, storage: storage, log: log)
        writer = ImageWriter(feed: feed, storage: storage, jobs: jobs)
        sweeper = OrphanSweeper(
            feed: feed, storage: storage, intervalSeconds: sweepSeconds, uploadSecondsMax: uploadSecondsMax, log: log)
    }

    /// See ``ServerModule/routes``.
    var routes: [Route] {
        ImageRoutes(feed: feed, writer: writer, limits: limits).routes
            + UploadRoutes(feed: feed, storage: storage, limits: limits).routes
            + UserRoutes(feed: feed, storage: storage, limits: limits).routes
            + PictureRoutes(feed: feed, storage: storage).routes + PageRoutes(feed: feed).routes
    }

    /// Opens the database.
    func start(in server: RunningServer) async throws {
        log.start(server.logger)
        feed.start(try await server.manager.existingDatastore(named: BluePicModule.database))
    }

    /// Does three kinds of background work until the task is cancelled. It sends changes of the feed to clients that
    /// have requested events, processes posted images, and removes pictures without an image.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await self.feed.follow() }
            group.addTask { await self.writer.jobs.run() }
            group.addTask { await self.sweeper.run() }
        }
    }
}

/// The log of the server. It is available after the module was started.
final class ModuleLog: Sendable {
    private let logger = Mutex<Logger?>(nil)

    func start(_ newLogger: Logger) { logger.withLock { $0 = newLogger } }

    func warn(_ message: String) { logger.withLock { $0 }?.warning("\(message)") }

    func note(_ message: String) { logger.withLock { $0 }?.info("\(message)") }
}
