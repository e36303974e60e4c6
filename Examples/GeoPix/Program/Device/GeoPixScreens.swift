//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GeoPixCore
import GodwitDatabase
import GodwitServer
import ProgramKit

/// The screens of GeoPix on a device, for a browser.
struct GeoPixScreens: DeviceApp {
    /// See ``DeviceApp/name``.
    let name = "geopix"
    /// See ``DeviceApp/fileBytesMax``.
    let fileBytesMax = 32 << 20

    let model: GeoPixModel
    private let source: String

    /// Creates the screens.
    ///
    /// - Parameters:
    ///   - model: The app, after ``GeoPixModel/start()``.
    ///   - source: The source of positions: `browser`, `gpx` or `gpsd`.
    init(_ model: GeoPixModel, source: String) { (self.model, self.source) = (model, source) }

    // MARK: The page

    /// See ``DeviceApp/files``.
    var files: EmbeddedFiles { .geoPix }

    /// See ``DeviceApp/state()``.
    func state() async -> JSONValue { await model.screens(source: source) }

    /// See ``DeviceApp/changes()``.
    func changes() -> AsyncStream<Void> {
        .changes { [model, source] in _ = model.screens(source: source) }
    }

    // MARK: Data

    /// See ``DeviceApp/content(_:_:)``.
    func content(_ path: String, _ query: [String: String]) async throws(DeviceError) -> DeviceContent? {
        if path == "/gallery" { return try await gallery(query) }
        if path.hasPrefix("/photo/") { return try await photo(path, isRemote: query["from"] == "server") }
        // The base map requests tiles from a file. A device does not have this file.
        if path == "/_tiles" { return DeviceContent(["available": false]) }
        do {
            let leaflet = "/page/leaflet/"
            if path.hasPrefix(leaflet) {
                let file = try LibraryFile(String(path.dropFirst(leaflet.count)), of: .leaflet)
                return DeviceContent(type: file.contentType, bytes: try await file.bytes(), isPermanent: true)
            }
            return try await BaseMapFile.at(path).map {
                DeviceContent(type: $0.contentType, bytes: $0.bytes, isPermanent: path.split(separator: "/").count > 2)
            }
        } catch let failure as HTTPFailure {
            throw DeviceError(.notFound, failure.reason)
        } catch {
            throw DeviceError(.storage, "The file cannot be read.", cause: error)
        }
    }

    private static let pageMax = 200

    private func gallery(_ query: [String: String]) async throws(DeviceError) -> DeviceContent {
        let limit = min(max(query["limit"].flatMap { Int($0) } ?? 60, 1), GeoPixScreens.pageMax)
        let position = query["before"].flatMap { Double($0) }.map {
            PhotoPosition(sort: $0, id: query["beforeId"] ?? "")
        }
        let isRemote = query["from"] == "server"
        let page = try await isRemote ? model.sharedPhotos(after: position, limit: limit) : ownPhotos(position, limit)
        let photos = await MainActor.run { page.photos.map { isRemote ? $0.screen() : model.screen($0) } }
        var answer: JSONObject = ["photos": .array(photos), "next": .null]
        if let next = page.next { answer["next"] = ["before": .double(next.sort), "beforeId": .string(next.id)] }
        return DeviceContent(.object(answer))
    }

    private func ownPhotos(_ position: PhotoPosition?, _ limit: Int) async throws(DeviceError) -> PhotoPage {
        let library = try await model.ready().library
        do throws(StoreError) {
            return try await library.photos.photos(after: position, limit: limit)
        } catch {
            throw DeviceError(.storage, "The photos of this device cannot be read.", cause: error)
        }
    }

    /// Returns the photo of `/photo/ID`, the picture of `/photo/ID/image`, or the thumbnail of `/photo/ID/thumbnail`;
    /// `nil` for another path.
    private func photo(_ path: String, isRemote: Bool) async throws(DeviceError) -> DeviceContent? {
        let segments = path.split(separator: "/").map(String.init)
        guard (2...3).contains(segments.count), let id = segments[1].removingPercentEncoding else { return nil }
        guard segments.count == 3 else {
            let photo = try await isRemote ? model.sharedPhoto(id) : model.ready().library.photo(id)
            return DeviceContent(isRemote ? photo.screen() : await model.screen(photo))
        }
        let bytes: [UInt8]
        switch segments[2] {
        case "image": bytes = try await isRemote ? model.sharedImage(of: id) : model.ready().library.image(of: id)
        case "thumbnail": bytes = try await isRemote ? model.sharedThumbnail(of: id) : model.thumbnail(of: id)
        default: return nil
        }
        return DeviceContent(type: "image/jpeg", bytes: bytes, isPermanent: true)
    }

    /// See ``DeviceApp/receive(_:_:)``.
    func receive(_ file: [UInt8], _ query: [String: String]) async throws(DeviceError) -> JSONObject {
        let photo = try await model.capture(
            file, isFile: query["source"] != "camera", caption: query["caption"],
            token: try GeoPixScreens.token(query["token"]))
        return ["id": .string(photo.id)]
    }

    /// Checks and returns a token that the browser sent. The token becomes a part of the photo's id.
    private static func token(_ text: String?) throws(DeviceError) -> String? {
        guard let text else { return nil }
        guard (8...64).contains(text.count),
            text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        else { throw DeviceError(.input, "The token must have 8 to 64 letters, digits and hyphens.") }
        return text
    }
}

extension Photo {
    /// Returns the photo as JSON for the page.
    func screen(isSent: Bool = true, isOnServer: Bool = true) -> JSONValue {
        var members = entry.body
        members["type"] = nil
        members["caption"] = entry.caption.map { .string($0) } ?? .null
        (members["id"], members["user"]) = (.string(id), .string(owner))
        (members["isSent"], members["isOnServer"]) = (.bool(isSent), .bool(isOnServer))
        return .object(members)
    }
}
