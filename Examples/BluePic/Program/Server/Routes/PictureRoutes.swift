//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The routes of the pictures and thumbnails of images. Pictures without an image are not served.
struct PictureRoutes: Sendable {
    let feed: ImageFeed
    let storage: PictureStorage

    var routes: [Route] {
        [
            Route(.get, "/pictures/{id}", access: .anyone, work: .light, handler: picture),
            Route(.get, "/pictures/{id}/thumbnail", access: .anyone, work: .light, handler: thumbnail),
        ]
    }

    @Sendable private func picture(_ context: RequestContext) async throws {
        try await send(context, isThumbnail: false)
    }

    @Sendable private func thumbnail(_ context: RequestContext) async throws {
        try await send(context, isThumbnail: true)
    }

    private func send(_ context: RequestContext, isThumbnail: Bool) async throws {
        let (request, response) = (context.request, context.response)
        guard let image = try feed.image(request.parameter("id")) else { throw HTTPFailure.noImage }
        var headers = context.headers(ofStored: "image/jpeg")
        headers[.eTag] = "\"\(image.digest.prefix(32))\(isThumbnail ? "-t" : "")\""
        headers[.cacheControl] = "public, max-age=3600"
        headers[.acceptRanges] = "bytes"
        if request.header(.ifNoneMatch) == headers[.eTag] {
            return try await response.sendEmpty(.notModified, headers: headers)
        }
        let range = Self.range(request.header(.range))
        let reading = try await storage.read(image.id, of: image.owner, isThumbnail: isThumbnail, range: range)
        if range != nil {
            let end = reading.range.upperBound - 1
            headers[.contentRange] = "bytes \(reading.range.lowerBound)-\(end)/\(reading.info.byteCount)"
        }
        try await response.begin(
            range == nil ? .ok : .partialContent, contentType: "image/jpeg", headers: headers,
            length: reading.range.count)
        for try await piece in reading.body { try await response.write(piece) }
        try await response.finish()
    }

    /// Returns the range in a header `bytes=FIRST-LAST` or `bytes=FIRST-`. Returns `nil` for a header of another form,
    /// because such a header is ignored.
    private static func range(_ header: String?) -> Range<Int>? {
        guard let match = header?.wholeMatch(of: /bytes=(\d{1,9})-(\d{0,9})/), let first = Int(match.1) else {
            return nil
        }
        guard let last = Int(match.2) else { return match.2.isEmpty ? first..<Int.max : nil }
        return first <= last ? first..<last + 1 : nil
    }
}
