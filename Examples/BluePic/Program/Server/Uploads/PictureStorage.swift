//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Foundation
import GodwitBase
import GodwitObjectStore
import GodwitServer
import HTTPTypes
import PhotoKit

/// Stores pictures in the object storage. For each image, it stores an upright JPEG without data of the camera, and a
/// thumbnail.
///
/// The objects are `USER/ID` and `USER/ID.thumbnail` in one container. A thumbnail is stored before its picture.
/// Therefore, if the storage contains the picture, it also contains the thumbnail.
struct PictureStorage: Sendable {
    static let container = "bluepic"
    /// The maximum length of an uploaded file, in bytes.
    static let fileBytesMax = 16 << 20
    /// The maximum length of a stored picture that is passed to a job, in bytes.
    static let pictureBytesMax = 16 << 20
    private static let pictureForm = PhotoForm(longestSide: 2_048, quality: 0.85)
    private static let thumbnailForm = PhotoForm(longestSide: 600, quality: 0.75)
    private static let thumbnailSuffix = ".thumbnail"

    /// A stored picture.
    struct Picture: Equatable, Sendable {
        let width: Int
        let height: Int
        /// The SHA-256 of the stored JPEG, in hexadecimal digits.
        let digest: String
        /// The SHA-256 of the uploaded file.
        let sourceDigest: String
    }

    /// A picture or a thumbnail in the container.
    struct Entry: Sendable {
        let owner: String
        let id: String
        let name: String
        /// The time of the upload, in seconds since 1970.
        let modified: Double
    }

    let store: any ObjectStore
    let photos: PhotoWorkers
    /// Locks for changes. Only one task at a time may change an image with its objects, or a profile. The keys are the
    /// ids of the images and of the profile documents.
    let locks = KeyedAsyncLock<String>()

    // MARK: Writing

    /// Makes the picture and the thumbnail of a file, and stores them. They are durable when the call returns.
    ///
    /// - Throws: ``GodwitServer/HTTPFailure`` with status 415 or 413 if the file is not a usable picture, 507 if the
    ///   storage is full, or 503 if the storage does not answer or pictures cannot be processed now.
    func keep(_ file: [UInt8], digest: String, as id: String, of owner: String) async throws(HTTPFailure) -> Picture {
        let (picture, thumbnail): (PhotoCopy, PhotoCopy)
        do throws(PhotoError) {
            picture = try await photos.copy(as: Self.pictureForm, for: owner) { file }
            thumbnail = try await photos.copy(as: Self.thumbnailForm, for: owner) { picture.jpeg }
        } catch {
            throw HTTPFailure(error)
        }
        let kept = Picture(
            width: picture.details.width, height: picture.details.height, digest: picture.jpeg.sha256,
            sourceDigest: digest)
        do throws(ObjectError) {
            try await put(thumbnail.jpeg, as: Self.name(id, of: owner) + Self.thumbnailSuffix, [:])
            try await put(picture.jpeg, as: Self.name(id, of: owner), kept.metadata)
        } catch {
            throw HTTPFailure(error)
        }
        return kept
    }

    private func put(_ jpeg: [UInt8], as name: String, _ metadata: [String: String]) async throws(ObjectError) {
        let properties = ObjectProperties(contentType: "image/jpeg", metadata: metadata)
        do throws(ObjectError) {
            try await store.put(.bytes(jpeg), as: name, in: Self.container, properties)
        } catch {
            guard error.code == .containerNotFound else { throw error }
            try await store.createContainer(Self.container)
            try await store.put(.bytes(jpeg), as: name, in: Self.container, properties)
        }
    }

    /// Deletes the picture and the thumbnail of an image. Does nothing if they do not exist.
    func delete(_ id: String, of owner: String) async throws(ObjectError) {
        do throws(ObjectError) {
            // The objects are deleted in the reverse of the order in which they are stored.
            try await store.delete(Self.name(id, of: owner), in: Self.container)
            try await store.delete(Self.name(id, of: owner) + Self.thumbnailSuffix, in: Self.container)
        } catch {
            guard error.code == .containerNotFound else { throw error }
        }
    }

    // MARK: Reading

    /// Returns the stored picture of an image; `nil` if there is none.
    func picture(_ id: String, of owner: String) async throws(HTTPFailure) -> Picture? {
        do throws(ObjectError) {
            let info = try await store.info(of: Self.name(id, of: owner), in: Self.container)
            return Picture(metadata: info.properties.metadata)
        } catch {
            if [.objectNotFound, .containerNotFound].contains(error.code) { return nil }
            throw HTTPFailure(error)
        }
    }

    /// Begins to read a picture or a thumbnail.
    func read(
        _ id: String, of owner: String, isThumbnail: Bool, range: Range<Int>? = nil
    ) async throws(HTTPFailure) -> ObjectReading {
        let name = Self.name(id, of: owner) + (isThumbnail ? Self.thumbnailSuffix : "")
        do throws(ObjectError) {
            return try await store.read(name, in: Self.container, range: range)
        } catch {
            throw HTTPFailure(error)
        }
    }

    /// Returns a page of the objects, in the order of their names.
    ///
    /// - Parameter last: The name after which the page begins; `nil` for the first page.
    func entries(after last: String?) async throws(ObjectError) -> (entries: [Entry], next: String?) {
        do throws(ObjectError) {
            let list = try await store.objects(in: Self.container, ObjectPage(after: last))
            return (list.objects.compactMap { Entry($0.name, modified: $0.modified) }, list.next)
        } catch {
            if error.code == .containerNotFound { return ([], nil) }
            throw error
        }
    }

    private static func name(_ id: String, of owner: String) -> String { "\(owner)/\(id)" }
}

extension PictureStorage.Entry {
    /// Reads the name of an object; `nil` for a name that this storage does not use.
    fileprivate init?(_ name: String, modified: Double) {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let last = name.utf8[name.utf8.index(after: slash)...]
        let id = String(decoding: last.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
        self.init(owner: String(name[..<slash]), id: id, name: name, modified: modified)
    }
}

extension PictureStorage.Picture {
    fileprivate var metadata: [String: String] {
        ["width": "\(width)", "height": "\(height)", "sha256": digest, "source-sha256": sourceDigest]
    }

    fileprivate init?(metadata: [String: String]) {
        guard let width = metadata["width"].flatMap({ Int($0) }), let height = metadata["height"].flatMap({ Int($0) }),
            let digest = metadata["sha256"], let sourceDigest = metadata["source-sha256"]
        else { return nil }
        self.init(width: width, height: height, digest: digest, sourceDigest: sourceDigest)
    }
}

extension [UInt8] {
    /// The SHA-256, in lower-case hexadecimal digits.
    var sha256: String { SHA256.hash(data: self).map { String(format: "%02x", $0) }.joined() }
}

extension HTTPFailure {
    /// The delay, in seconds, after which a client may repeat a request when the storage does not answer.
    private static let retrySeconds = "5"

    /// Creates the response for an error of the storage.
    init(_ error: ObjectError) {
        switch error.code {
        case .objectNotFound, .containerNotFound: self.init(.notFound, "not_found", "The picture does not exist.")
        case .rangeNotSatisfiable:
            self.init(.rangeNotSatisfiable, "requested_range_not_satisfiable", "The range is outside of the picture.")
        case .diskFull, .quotaExceeded:
            self.init(
                .init(code: 507, reasonPhrase: "Insufficient Storage"), "insufficient_storage",
                "The storage is full. Nothing was stored.")
        default:
            self.init(.serviceUnavailable, "storage_unavailable", "The storage of pictures does not answer. Try again.")
            headers[.retryAfter] = HTTPFailure.retrySeconds
        }
    }

    /// Creates the response for a file that is not a usable picture.
    init(_ error: PhotoError) {
        switch error.code {
        case .unavailable:
            self.init(.serviceUnavailable, error.code.rawValue, error.message)
            headers[.retryAfter] = HTTPFailure.retrySeconds
        case .tooLarge, .tooCostly: self.init(.contentTooLarge, error.code.rawValue, error.message)
        default: self.init(.unsupportedMediaType, error.code.rawValue, error.message)
        }
    }
}
