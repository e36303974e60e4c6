//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
public import GodwitDatabase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The photos on a device, in encrypted databases.
public final class PhotoLibrary: Sendable {
    /// The maximum length of a picture, in bytes. The server refuses longer pictures.
    public static let imageBytesMax = 16 << 20

    /// The databases. They are deleted when the device is reported as lost.
    public let manager: DatastoreManager
    /// The photos. A replication pushes them.
    public let photos: Datastore
    /// The state of this device, which is not replicated: thumbnails, settings, the progress of pushes.
    let device: Datastore
    /// The settings and the progress of pushes, in ``device``.
    let stateDocument: StateDocument

    /// Opens the databases. Databases that do not exist are created.
    ///
    /// - Throws: ``DeviceError``.
    public init(folder: String, key: EncryptionKey) async throws(DeviceError) {
        do throws(StoreError) {
            manager = try DatastoreManager(directory: folder, key: key)
        } catch {
            throw DeviceError(error)
        }
        do throws(StoreError) {
            photos = try await manager.datastore(named: "geopix")
            device = try await manager.datastore(named: "device")
            stateDocument = StateDocument(in: device)
            try await photos.ensureIndex(PhotoIndex.fields, named: PhotoIndex.name, where: nil)
        } catch {
            await manager.close()
            throw DeviceError(error)
        }
    }

    /// Completes the operations in progress and closes the files.
    public func close() async { await manager.close() }

    // MARK: Photos

    /// Stores a photo. It is on disk when the call returns.
    ///
    /// - Parameters:
    ///   - image: The picture as JPEG, at most ``imageBytesMax`` long.
    ///   - thumbnail: A small picture as JPEG.
    ///   - entry: The data of the photo.
    ///   - owner: The name of the user.
    ///   - token: A text that identifies the picture. A second call with the same owner and token returns the photo of
    ///     the first call.
    public func add(
        _ image: [UInt8], thumbnail: [UInt8], _ entry: PhotoEntry, owner: String, token: String
    ) async throws(DeviceError) -> Photo {
        guard image.count <= Self.imageBytesMax else {
            throw DeviceError(.tooLarge, "The picture has more than \(Self.imageBytesMax >> 20) MB.")
        }
        guard let epoch = Int64(exactly: entry.sort.rounded(.towardZero)) else {
            throw DeviceError(.input, "The time of the photo is not valid.")
        }
        let id = "\(owner):\(token)"
        let document = Document(
            id: id, body: entry.body,
            attachments: ["image\(epoch).jpg": .data(image, contentType: "image/jpeg")])
        do throws(StoreError) {
            // An error is ignored, since a missing thumbnail is created again later.
            try? await keepThumbnail(thumbnail, of: id)
            let saved = try await photos.create(document)
            if let photo = Photo(saved) { return photo }
        } catch {
            if error.code == .conflict, let known = try? await photo(id) { return known }
            throw DeviceError(error)
        }
        throw DeviceError(.storage, "\(id) cannot be read after it was stored.")
    }

    /// Returns a photo.
    ///
    /// - Throws: ``DeviceError`` with code `notFound` if there is no document with the id, or if it is not a photo.
    public func photo(_ id: String) async throws(DeviceError) -> Photo {
        do throws(StoreError) {
            if let photo = Photo(try photos.document(id)) { return photo }
        } catch {
            throw DeviceError(error)
        }
        throw DeviceError(.notFound, "\(id) is no photo.")
    }

    /// Returns the picture of a photo.
    public func image(of id: String) async throws(DeviceError) -> [UInt8] {
        guard let image = try await photo(id).image else { throw DeviceError(.notFound, "The photo has no picture.") }
        do throws(StoreError) {
            return try await photos.bytes(of: image).collect(bytesMax: PhotoLibrary.imageBytesMax)
        } catch {
            throw DeviceError(error)
        }
    }

    /// Changes the caption of a photo. The caption is cut after ``PhotoEntry/captionLengthMax`` characters. An empty
    /// caption is removed.
    public func setCaption(_ caption: String, of id: String) async throws(DeviceError) {
        do throws(StoreError) {
            var document = try photos.document(id)
            document.body["caption"] =
                caption.isEmpty ? nil : .string(PhotoEntry.shortened(caption))
            _ = try await photos.update(document)
        } catch {
            throw DeviceError(error)
        }
    }

    /// Deletes a photo. The next replication deletes it on the server too.
    public func delete(_ id: String) async throws(DeviceError) {
        do throws(StoreError) {
            try await photos.delete(id)
            _ = try? await device.delete(PhotoLibrary.thumbnailID(id))
        } catch {
            throw DeviceError(error)
        }
    }

    /// Returns the number of photos.
    public func count() throws(DeviceError) -> Int {
        do throws(StoreError) {
            // One of the documents is the design document of the index. It is not a photo, so it is not counted.
            return max(0, try photos.documentCount - 1)
        } catch {
            throw DeviceError(error)
        }
    }

    // MARK: Thumbnails

    private static let thumbnailName = "thumbnail.jpg"

    private static func thumbnailID(_ id: String) -> String { "thumbnail:\(id)" }

    /// Returns the stored thumbnail of a photo; `nil` if there is none.
    public func thumbnail(of id: String) async -> [UInt8]? {
        guard let document = try? device.document(PhotoLibrary.thumbnailID(id)),
            let thumbnail = document.attachments[PhotoLibrary.thumbnailName]
        else { return nil }
        return try? await device.bytes(of: thumbnail).collect(bytesMax: PhotoLibrary.imageBytesMax)
    }

    /// Stores the thumbnail of a photo.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if the photo has a stored thumbnail.
    public func keepThumbnail(_ thumbnail: [UInt8], of id: String) async throws(StoreError) {
        let document = Document(
            id: PhotoLibrary.thumbnailID(id), body: [:],
            attachments: [PhotoLibrary.thumbnailName: .data(thumbnail, contentType: "image/jpeg")])
        _ = try await device.create(document)
    }
}

extension DeviceError {
    /// Creates the error for an error of a datastore.
    init(_ error: StoreError) {
        switch error.code {
        case .directoryInUse: self.init(.inUse, error.message, cause: error)
        case .notFound, .deleted: self.init(.notFound, "The photo does not exist on this device.", cause: error)
        case .wrongKey: self.init(.locked, error.message, cause: error)
        case .unreachable: self.init(.unreachable, "The server cannot be reached.", cause: error)
        case .accessRefused: self.init(.unreachable, "The server refuses the request. Sign in again.", cause: error)
        case .serverFailed: self.init(.unreachable, "The server cannot answer now. Try again later.", cause: error)
        default: self.init(.storage, "The photos of this device cannot be read or written.", cause: error)
        }
    }
}
