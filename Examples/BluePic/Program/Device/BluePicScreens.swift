//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import BluePicCore
import DeviceKit
import Foundation
import GodwitDatabase
import ProgramKit

/// The screens of BluePic on a device, for a browser.
struct BluePicScreens: DeviceApp {
    /// See ``DeviceApp/name``.
    let name = "bluepic"
    /// See ``DeviceApp/fileBytesMax``.
    let fileBytesMax = 32 << 20

    private static let pageLimit = 30
    private static let pageMax = 100

    let model: BluePicModel

    /// Creates the screens of an app. Call ``BluePicModel/start()`` before.
    init(_ model: BluePicModel) { self.model = model }

    // MARK: The page

    /// See ``DeviceApp/files``.
    let files = EmbeddedFiles.bluePic

    /// See ``DeviceApp/state()``.
    func state() async -> JSONValue { await model.screens() }

    /// See ``DeviceApp/changes()``.
    func changes() -> AsyncStream<Void> { .changes { [model] in _ = model.screens() } }

    // MARK: Data

    /// See ``DeviceApp/content(_:_:)``.
    func content(_ path: String, _ query: [String: String]) async throws(DeviceError) -> DeviceContent? {
        if path == "/feed" { return try await feed(query) }
        if path == "/photo" {
            guard let photo = try await model.opened().feed.photo(query["id"] ?? "") else {
                throw DeviceError(.notFound, "The photo does not exist, or is not on this device any more.")
            }
            return DeviceContent(photo.screen)
        }
        let segments = path.split(separator: "/").map { String($0).removingPercentEncoding ?? "" }
        guard segments.count >= 2 else { return nil }
        switch (segments[0], segments.count) {
        case ("pictures", 2): return try await picture(segments[1], isThumbnail: false)
        case ("pictures", 3) where segments[2] == "thumbnail":
            return try await picture(segments[1], isThumbnail: true)
        case ("portraits", 2):
            guard let portrait = try await model.portrait(of: segments[1]) else {
                throw DeviceError(.notFound, "The user has no picture.")
            }
            return DeviceContent(type: "image/jpeg", bytes: portrait)
        default: return nil
        }
    }

    private func picture(_ id: String, isThumbnail: Bool) async throws(DeviceError) -> DeviceContent {
        let (bytes, isFinal) = try await model.picture(id, isThumbnail: isThumbnail)
        return DeviceContent(type: "image/jpeg", bytes: bytes, isPermanent: isFinal)
    }

    private func feed(_ query: [String: String]) async throws(DeviceError) -> DeviceContent {
        let limit = min(max(query["limit"].flatMap { Int($0) } ?? Self.pageLimit, 1), Self.pageMax)
        let page = try await model.images(after: query["before"], of: query["user"], limit: limit)
        let photos = page.photos.map(\.screen)
        return DeviceContent(["photos": .array(photos), "next": page.next.map { .string($0) } ?? .null])
    }

    /// See ``DeviceApp/receive(_:_:)``.
    func receive(_ file: [UInt8], _ query: [String: String]) async throws(DeviceError) -> JSONObject {
        let post = try await model.choose(file, token: try BluePicScreens.token(query["token"]))
        return [
            "id": .string(post.id), "width": .integer(Int64(post.width)), "height": .integer(Int64(post.height)),
        ]
    }

    /// Checks and returns a token that the browser sent. It becomes the id of the post.
    private static func token(_ text: String?) throws(DeviceError) -> String? {
        guard let text else { return nil }
        guard (8...64).contains(text.count),
            text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        else { throw DeviceError(.input, "The token must have 8 to 64 letters, digits and hyphens.") }
        return text
    }
}

extension FeedPhoto {
    /// The photo as JSON for the page.
    fileprivate var screen: JSONValue {
        [
            "id": .string(id), "caption": .string(caption), "owner": .string(owner), "name": .string(ownerName),
            "width": .integer(Int64(width)), "height": .integer(Int64(height)),
            "time": .double(uploaded.timeIntervalSince1970),
        ]
    }
}
