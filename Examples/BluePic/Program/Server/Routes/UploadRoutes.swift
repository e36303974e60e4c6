//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitJSON
import GodwitServer
import HTTPTypes

/// The routes with which a device uploads a picture before it posts the picture. The device first requests a grant, and
/// then sends the bytes.
struct UploadRoutes: Sendable {
    let feed: ImageFeed
    let storage: PictureStorage
    let limits: RequestLimits
    private let grants = UploadGrants()

    private static let bodyBytesMax = 16 << 10
    private static let types = ["image/jpeg", "image/png"]

    init(feed: ImageFeed, storage: PictureStorage, limits: RequestLimits) {
        (self.feed, self.storage, self.limits) = (feed, storage, limits)
    }

    var routes: [Route] {
        [
            Route(.post, "/uploads", access: .anyone, condition: "a user of BluePic", work: .light, handler: grant),
            Route(.put, "/uploads/{id}", access: .anyone, condition: "a user with a grant", handler: upload),
        ]
    }

    /// Grants one upload to a user.
    @Sendable private func grant(_ context: RequestContext) async throws {
        let user = try Client(context).acting(for: nil)
        let bytes = try await context.request.collectBody(bytesMax: Self.bodyBytesMax)
        let grant = try grant(for: user, (try? JSONValue(parsing: bytes))?.objectValue ?? [:])
        try limits.count(user)
        if let image = try feed.image(grant.id),
            image.owner != user || image.body["sourceDigest"]?.stringValue != grant.digest
        {
            throw ImageWriter.taken(grant.id)
        }
        let answer: JSONValue = [
            "id": .string(grant.id), "grant": .string(try grants.text(of: grant)),
            "expires": .integer(Int64(grant.expires)), "path": .string("/uploads/\(grant.id)"),
        ]
        try await context.response.sendJSON(.created, headers: [.cacheControl: "no-store"], body: answer.jsonBytes())
    }

    private func grant(for user: String, _ members: JSONObject) throws(HTTPFailure) -> UploadGrant {
        guard let id = members["id"]?.stringValue, ImagePost.isID(id) else {
            throw Self.invalid("id must have 4 to 64 letters, digits and hyphens.")
        }
        guard let type = members["type"]?.stringValue, Self.types.contains(type) else {
            throw Self.invalid("type must be image/jpeg or image/png.")
        }
        guard let digest = members["sha256"]?.stringValue, digest.utf8.count == 64,
            digest.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
        else { throw Self.invalid("sha256 must have 64 lower-case hexadecimal digits.") }
        guard let bytes = members["bytes"]?.intValue, bytes > 0 else {
            throw Self.invalid("bytes must be the length of the file.")
        }
        guard bytes <= PictureStorage.fileBytesMax else {
            throw HTTPFailure(
                .contentTooLarge, "too_large", "The picture has more than \(PictureStorage.fileBytesMax >> 20) MB.")
        }
        return UploadGrant(
            user: user, id: id, bytes: bytes, type: type, digest: digest,
            expires: Int(Date().timeIntervalSince1970) + UploadGrants.secondsMax)
    }

    /// Receives the bytes, and stores the picture and its thumbnail before it answers.
    @Sendable private func upload(_ context: RequestContext) async throws {
        let user = try Client(context).acting(for: nil)
        let id = context.request.parameter("id")
        let grant = try grants.grant(context.request.header(.uploadGrant) ?? "")
        guard grant.user.utf8.elementsEqual(user.utf8), grant.id.utf8.elementsEqual(id.utf8) else {
            throw HTTPFailure(.forbidden, "forbidden", "The grant is for another upload.")
        }
        guard context.request.header(.contentType)?.utf8.elementsEqual(grant.type.utf8) == true else {
            throw Self.invalid("The grant is for the content type \(grant.type).")
        }
        let bytes = try await context.request.collectBody(bytesMax: grant.bytes)
        guard bytes.count == grant.bytes, bytes.sha256 == grant.digest else {
            throw Self.invalid("The bytes are not those of the grant: the length or the SHA-256 differs.")
        }
        let (picture, isNew) = try await storage.locks.withLock(id) { () -> (PictureStorage.Picture, Bool) in
            if let known = try await storage.picture(id, of: user) {
                if known.sourceDigest == grant.digest { return (known, false) }
                // The picture of an existing image must not change.
                guard try feed.image(id) == nil else { throw ImageWriter.taken(id) }
            }
            return (try await storage.keep(bytes, digest: grant.digest, as: id, of: user), true)
        }
        let answer: JSONValue = [
            "id": .string(id), "width": .integer(Int64(picture.width)), "height": .integer(Int64(picture.height)),
        ]
        try await context.response.sendJSON(isNew ? .created : .ok, body: answer.jsonBytes())
    }

    private static func invalid(_ reason: String) -> HTTPFailure { HTTPFailure(.badRequest, "bad_request", reason) }
}

extension HTTPField.Name {
    fileprivate static let uploadGrant = Self("X-Upload-Grant")!
}
