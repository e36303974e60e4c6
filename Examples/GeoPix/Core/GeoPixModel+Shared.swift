//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import GodwitDatabase

extension GeoPixModel {
    /// The photos of all users on the server. The app reads them with the same query as the photos of the device.
    private func shared() throws(DeviceError) -> CouchDatabase {
        guard let access else { throw DeviceError(.locked, "Sign in first.") }
        do throws(StoreError) {
            return try CouchDatabase(
                "\(server)/\(GeoPixModel.application)", credentials: .tokens(access), transport: configuration.transport
            )
        } catch {
            throw DeviceError(.input, error.message, cause: error)
        }
    }

    /// Returns a page of the photos of all users, the newest first. The call needs a network.
    public func sharedPhotos(after position: PhotoPosition? = nil, limit: Int) async throws(DeviceError) -> PhotoPage {
        let database = try shared()
        do throws(StoreError) {
            return try await database.photos(after: position, limit: limit)
        } catch {
            throw DeviceError(error)
        }
    }

    /// Returns a photo on the server.
    public func sharedPhoto(_ id: String) async throws(DeviceError) -> Photo {
        let database = try shared()
        do throws(StoreError) {
            if let photo = Photo(try await database.document(id)) { return photo }
        } catch {
            throw DeviceError(error)
        }
        throw DeviceError(.notFound, "\(id) is no photo.")
    }

    /// Returns the picture of a photo on the server.
    public func sharedImage(of id: String) async throws(DeviceError) -> [UInt8] {
        guard let image = try await sharedPhoto(id).image else {
            throw DeviceError(.notFound, "The photo has no picture.")
        }
        let database = try shared()
        do throws(StoreError) {
            return try await database.bytes(of: image).collect(bytesMax: PhotoLibrary.imageBytesMax)
        } catch {
            throw DeviceError(error)
        }
    }

    /// Returns a small picture of a photo on the server.
    public func sharedThumbnail(of id: String) async throws(DeviceError) -> [UInt8] {
        try await configuration.processor.copy(
            of: try await sharedImage(of: id), longestSide: GeoPixModel.thumbnailSide,
            quality: GeoPixModel.thumbnailQuality
        ).jpeg
    }
}
