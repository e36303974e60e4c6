//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import GodwitStore
import Synchronization

/// Runs the jobs of posted images, one image after the other.
final class ImageJobs: Sendable {
    /// The maximum number of images that wait. Further images are processed after the next start of the server.
    private static let waitingMax = 1_000
    /// At the start of the server, this number of the newest images is checked. Those that were not processed yet are
    /// then processed.
    private static let newestCount = 1_000
    private static let secondsMax = 30

    private let jobs: [any ImageJob]
    private let feed: ImageFeed
    private let storage: PictureStorage
    private let (ids, continuation) = AsyncStream.makeStream(
        of: String.self, bufferingPolicy: .bufferingOldest(ImageJobs.waitingMax))
    private let log: ModuleLog

    init(_ jobs: [any ImageJob], feed: ImageFeed, storage: PictureStorage, log: ModuleLog) {
        (self.jobs, self.feed, self.storage, self.log) = (jobs, feed, storage, log)
    }

    /// Returns the body of the document of a new image.
    func body(
        of post: ImagePost, id: String, _ picture: PictureStorage.Picture, _ owner: String, _ name: String
    ) -> JSONObject {
        let now = Date()
        let uploaded = post.uploaded ?? now.uploadedText
        var body: JSONObject = [
            "type": .string(FeedImage.type), "fileName": .string(post.fileName), "caption": .string(post.caption),
            "contentType": "image/jpeg", "width": .integer(Int64(picture.width)),
            "height": .integer(Int64(picture.height)), "uploadedTs": .string(uploaded),
            "order": .string(FeedImage.order(post.uploaded ?? now.fractionText, id)), "tags": .array(post.tags),
            "userId": .string(owner), "userName": .string(name), "digest": .string(picture.digest),
            "sourceDigest": .string(picture.sourceDigest), "isProcessed": .bool(jobs.isEmpty),
        ]
        if let device = post.deviceId { body["deviceId"] = .string(device) }
        if let location = post.location { body["location"] = location }
        return body
    }

    /// Adds an image to the images that wait to be processed.
    func add(_ id: String) { if !jobs.isEmpty { continuation.yield(id) } }

    /// Processes images until the task is cancelled.
    func run() async {
        guard !jobs.isEmpty else { return }
        await addUnprocessed()
        for await id in ids { await process(id) }
    }

    private func addUnprocessed() async {
        var (position, count): (String?, Int) = (nil, 0)
        repeat {
            guard let page = try? await feed.page(after: position) else { return }
            for image in page.images where image.body["isProcessed"] == false { add(image.id) }
            (position, count) = (page.next, count + page.images.count)
        } while position != nil && count < Self.newestCount
    }

    private func process(_ id: String) async {
        guard let image = try? feed.image(id), image.body["isProcessed"] == false else { return }
        var (found, isComplete) = (ImageFindings(), true)
        for job in jobs {
            do {
                let findings = try await Self.withTimeLimit { try await job.run(self.posted(image)) }
                if let tags = findings.tags { found.tags = tags }
                if let weather = findings.weather { found.weather = weather }
            } catch {
                isComplete = false
                log.warn("the job \(job.name) failed for the image \(id): \(error)")
            }
        }
        try? await keep(found, isComplete: isComplete, of: id)
    }

    private func keep(_ found: ImageFindings, isComplete: Bool, of id: String) async throws {
        try await storage.locks.withLock(id) {
            var document = try feed.datastore().document(id)
            if let tags = found.tags { document.body["tags"] = .array(tags.prefix(ImageTag.countMax).map(\.json)) }
            if let weather = found.weather, var location = document.body["location"]?.objectValue {
                location["weather"] = .object(weather)
                document.body["location"] = .object(location)
            }
            document.body["isProcessed"] = .bool(isComplete)
            _ = try await feed.datastore().update(document)
        }
    }

    private func posted(_ image: FeedImage) -> PostedImage {
        let location = image.body["location"]
        var place: (latitude: Double, longitude: Double)?
        if let latitude = location?["latitude"]?.doubleValue, let longitude = location?["longitude"]?.doubleValue {
            place = (latitude, longitude)
        }
        return PostedImage(
            id: image.id, caption: image.caption, place: place,
            picture: { [storage] in
                try await storage.read(image.id, of: image.owner, isThumbnail: false).bytes(
                    bytesMax: PictureStorage.pictureBytesMax)
            })
    }

    /// Runs a job, and cancels it after the time limit.
    private static func withTimeLimit(
        _ work: @escaping @Sendable () async throws -> ImageFindings
    ) async throws -> ImageFindings {
        try await withThrowingTaskGroup { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: .seconds(secondsMax))
                throw JobTimeout()
            }
            defer { group.cancelAll() }
            return try await group.next() ?? ImageFindings()
        }
    }

    private struct JobTimeout: Error, CustomStringConvertible {
        let description = "it takes more than \(secondsMax) s"
    }
}
