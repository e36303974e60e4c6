//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GeoPixCore
import GodwitJSON
import GodwitStore
import PhotoKit

/// The thumbnails of the photos. The separate process for pictures makes each thumbnail once, and again if the picture
/// changes. The thumbnails are stored in a database.
actor Thumbnails {
    /// The database of the thumbnails, which only administrators may read.
    static let database = "geopix_thumbnails"
    /// The longest side in pixels.
    static let side = 320
    private static let quality = 0.7
    private static let name = "thumbnail.jpg"
    private static let bytesMax = 1 << 20

    private let workers: PhotoWorkers
    private var kept: Datastore?
    private var photos: Datastore?
    /// The thumbnails that are being made. Requests for the same thumbnail share the work.
    private var running: [String: Task<Result<[UInt8], PhotoError>, Never>] = [:]

    init(_ workers: PhotoWorkers) { self.workers = workers }

    func start(_ kept: Datastore, photos: Datastore) { (self.kept, self.photos) = (kept, photos) }

    /// Begins to create the thumbnail of a new photo, or removes the thumbnail of a deleted photo. If too many pictures
    /// are waiting to be processed, this method creates no thumbnail. The thumbnail is then created when a client
    /// requests it.
    func take(_ event: PhotoGallery.Event) async {
        switch event {
        case .image(let photo): Task { try? await thumbnail(of: photo, isRequested: false) }
        case .gone(let id): _ = try? await kept?.delete(id)
        }
    }

    /// Returns the thumbnail of a photo and the digest of its picture; `nil` if the photo has no picture, and before
    /// ``start(_:photos:)``.
    ///
    /// - Parameter isRequested: Whether a client waits for the thumbnail. Thumbnails that clients request alternate
    ///   with thumbnails of new photos. Therefore, a client does not have to wait until the thumbnails of all new
    ///   photos are made.
    /// - Throws: ``PhotoError`` if the picture is not usable. ``PhotoError`` with code `unavailable` if the picture
    ///   cannot be read or processed now.
    func thumbnail(of photo: Photo, isRequested: Bool = true) async throws -> (bytes: [UInt8], digest: String)? {
        guard let kept, let image = photo.image, let digest = image.digest else { return nil }
        if let document = try? kept.document(photo.id), document.body["digest"]?.stringValue == digest {
            if let reason = document.body["refused"]?.stringValue { throw PhotoError(.damaged, reason) }
            if let thumbnail = document.attachments[Thumbnails.name] {
                return (try await kept.bytes(of: thumbnail).collect(bytesMax: Thumbnails.bytesMax), digest)
            }
        }
        let key = "\(photo.id) \(digest)"
        // The name of an owner contains no colon, so it never equals a text that begins with `arrived:`.
        let turn = isRequested ? photo.owner : "arrived:\(photo.owner)"
        let task = running[key] ?? Task { await self.make(photo, image, digest, turn) }
        running[key] = task
        defer { running[key] = nil }
        return (try await task.value.get(), digest)
    }

    private func make(
        _ photo: Photo, _ image: Attachment, _ digest: String, _ turn: String
    ) async -> Result<[UInt8], PhotoError> {
        do {
            guard let photos else { throw PhotoError(.unavailable, "GeoPix has not started.") }
            let form = PhotoForm(longestSide: Thumbnails.side, quality: Thumbnails.quality)
            let copy = try await workers.copy(as: form, for: turn) { () throws(PhotoError) in
                do {
                    return try await photos.bytes(of: image).collect(bytesMax: PhotoLibrary.imageBytesMax)
                } catch {
                    throw PhotoError(.unavailable, "The picture cannot be read.")
                }
            }
            try? await keep(photo.id, ["digest": .string(digest)], copy.jpeg)
            return .success(copy.jpeg)
        } catch let error as PhotoError {
            // The result is stored, so that a picture that is not usable is not decoded again. Other failures may be
            // temporary and are not stored.
            if error.code != .unavailable {
                try? await keep(photo.id, ["digest": .string(digest), "refused": .string(error.message)], nil)
            }
            return .failure(error)
        } catch {
            return .failure(PhotoError(.unavailable, "The picture cannot be read."))
        }
    }

    private func keep(_ id: String, _ body: JSONObject, _ jpeg: [UInt8]?) async throws {
        guard let kept else { return }
        var document = (try? kept.document(id)) ?? Document(id: id, body: [:])
        document.body = body
        document.attachments = jpeg.map { [Thumbnails.name: .data($0, contentType: "image/jpeg")] } ?? [:]
        _ = try await document.revision == nil ? kept.create(document) : kept.update(document)
    }
}
