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
import HTTPTypes

/// Adds images to the feed and removes them. Each image always has its picture, even if the server is killed at any
/// moment. The opposite is possible: a picture may have no image. ``OrphanSweeper`` removes such a picture later.
struct ImageWriter: Sendable {
    let feed: ImageFeed
    let storage: PictureStorage
    let jobs: ImageJobs

    /// Adds an image whose picture is in the request or was uploaded before.
    ///
    /// - Returns: The image, and whether it is new. If a request is repeated, the image of the first request is
    ///   returned.
    /// - Throws: ``GodwitServer/HTTPFailure`` with status 409 if the id belongs to another image or no picture was
    ///   uploaded, and the errors of ``PictureStorage/keep(_:digest:as:of:)``.
    func add(_ post: ImagePost, of owner: String) async throws -> (image: FeedImage, isNew: Bool) {
        let id = post.id ?? UUID().uuidString.lowercased()
        return try await storage.locks.withLock(id) {
            if let known = try feed.image(id) {
                guard known.isOwned(by: owner) else { throw ImageWriter.taken(id) }
                if let file = post.file, known.body["sourceDigest"]?.stringValue != file.sha256 {
                    throw ImageWriter.taken(id)
                }
                return (known, false)
            }
            let picture: PictureStorage.Picture
            if let file = post.file {
                picture = try await storage.keep(file, digest: file.sha256, as: id, of: owner)
            } else if let uploaded = try await storage.picture(id, of: owner) {
                picture = uploaded
            } else {
                throw HTTPFailure(
                    .conflict, "not_uploaded", "The picture \(id) is not here. Upload it at /uploads, then post again.")
            }
            let name = try feed.profile(owner)?.name ?? owner
            let document = Document(id: id, body: jobs.body(of: post, id: id, picture, owner, name))
            guard let image = FeedImage(try await feed.datastore().create(document)) else {
                throw ImageWriter.taken(id)
            }
            jobs.add(id)
            return (image, true)
        }
    }

    /// Removes an image with its picture, or a picture that was uploaded but not posted.
    ///
    /// - Parameters:
    ///   - isPermitted: A closure that returns whether the client may remove an image of an owner.
    ///   - uploader: The user who makes the request. If no image has the id, an uploaded picture of this user is
    ///     removed. `nil` for an administrator, who can remove only images.
    /// - Throws: ``GodwitServer/HTTPFailure`` with status 403 if the client may not remove the image, or 404 if there
    ///   is nothing to remove.
    func remove(_ id: String, uploader: String?, where isPermitted: (String) -> Bool) async throws {
        try await storage.locks.withLock(id) {
            guard let image = try feed.image(id) else { return try await removeUpload(id, of: uploader) }
            guard isPermitted(image.owner) else {
                throw HTTPFailure(.forbidden, "forbidden", "Only the owner can delete an image.")
            }
            // The deleted revision still contains the members by which devices select images. Otherwise, the deletion
            // would not match the selectors of the devices and would not be replicated to them.
            let kept = ["type", "uploadedTs", "userId"].reduce(into: JSONObject()) { $0[$1] = image.body[$1] }
            _ = try await feed.datastore().delete(try feed.datastore().document(id), keeping: kept)
            // If the picture cannot be deleted now, ``OrphanSweeper`` removes it later.
            try? await storage.delete(id, of: image.owner)
        }
    }

    private func removeUpload(_ id: String, of owner: String?) async throws {
        guard let owner, ImagePost.isID(id), try await storage.picture(id, of: owner) != nil else {
            throw HTTPFailure(.notFound, "not_found", "There is no such image.")
        }
        do throws(ObjectError) {
            try await storage.delete(id, of: owner)
        } catch {
            throw HTTPFailure(error)
        }
    }

    static func taken(_ id: String) -> HTTPFailure {
        HTTPFailure(.conflict, "conflict", "The id \(id) belongs to another image. Choose another.")
    }
}
