//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GeoPixCore
import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitServer
import GodwitStore
import HTTPTypes
import PhotoKit
import ProgramKit

/// The routes of the photos and their pictures, as JSON and as events.
struct GalleryRoutes {
    let gallery: PhotoGallery
    let thumbnails: Thumbnails

    private static let pageLimitMax = 500
    private static let pageLimitUsual = 100
    /// The interval, in seconds, at which each stream sends a comment and each WebSocket sends the event `alive`.
    private static let heartbeatSeconds = 15

    var routes: [Route] {
        [
            Route(.get, "/photos", access: .anyone, handler: page),
            Route(.get, "/photos/map", access: .anyone, handler: map),
            Route(.get, "/photos/events", access: .anyone, handler: events),
            Route(.get, "/photos/socket", access: .anyone, handler: socket),
            Route(.get, "/photos/one/{id}", access: .anyone, work: .light, handler: one),
            .rewriting(.get, "/image/{doc}/{name}", access: .anyone, work: .light, handler: image),
            Route(.get, "/thumbnail/{doc}/{name}", access: .anyone, work: .light, handler: thumbnail),
        ]
    }

    // MARK: Photos

    @Sendable private func page(_ context: RequestContext) async throws {
        let request = context.request
        let limit = min(
            max(request.target.value("limit").flatMap { Int($0) } ?? Self.pageLimitUsual, 1), Self.pageLimitMax)
        let page = try await gallery.datastore().photos(after: try PhotoPosition(request), limit: limit)
        var answer: JSONObject = ["photos": .array(page.photos.map(\.json)), "next": .null]
        if let next = page.next { answer["next"] = ["before": .double(next.sort), "beforeId": .string(next.id)] }
        try await context.response.sendJSON(
            headers: [.cacheControl: "no-cache"], body: JSONValue.object(answer).jsonBytes())
    }

    @Sendable private func map(_ context: RequestContext) async throws {
        try await context.response.sendJSON(headers: [.cacheControl: "no-cache"], body: gallery.map())
    }

    @Sendable private func one(_ context: RequestContext) async throws {
        let photo = try photo(context.request.parameter("id"))
        try await context.response.sendJSON(headers: [.cacheControl: "no-cache"], body: photo.json.jsonBytes())
    }

    /// Returns a photo. Throws an error if the document is not a photo, for example a design document.
    private func photo(_ id: String) throws -> Photo {
        guard id.utf8.first != UInt8(ascii: "_"), let photo = Photo(try gallery.datastore().document(id)) else {
            throw HTTPFailure(.notFound, "not_found", "There is no such photo.")
        }
        return photo
    }

    // MARK: Events

    /// Sends the event `ready`. After that, sends `image` for each new or changed photo and `gone` for each deleted
    /// document. The stream ends when the client disconnects, when the client is too slow, or when the database is
    /// closed.
    @Sendable private func events(_ context: RequestContext) async throws {
        let response = context.response
        let events = gallery.events()
        try await response.begin(
            contentType: "text/event-stream", headers: [.cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
            isLive: true)
        try await response.write(Array("event: ready\ndata: {}\n\n".utf8))
        try await response.flush()
        for await event in events.beating(everySeconds: Self.heartbeatSeconds) {
            try await response.write(Array((event?.text ?? ":\n\n").utf8))
            try await response.flush()
        }
        try await response.finish()
    }

    /// Sends the events `image` and `gone` as messages of a WebSocket, `{"event": "image", "data": …}`. The messages
    /// end when the client disconnects, when the client is too slow, or when the database is closed.
    @Sendable private func socket(_ context: RequestContext) async throws {
        let response = context.response
        let events = gallery.events()
        try await response.beginWebSocket(context.request)
        for await event in events.beating(everySeconds: Self.heartbeatSeconds) {
            try await response.write(Array((event?.message ?? #"{"event":"alive"}"#).utf8))
            try await response.flush()
        }
        try await response.finish()
    }

    // MARK: Pictures

    /// Sends the picture in the same way as the database sends an attachment: with an entity tag, and only the
    /// requested ranges if the request contains ranges.
    @Sendable private func image(_ context: RequestContext) async throws -> Answer {
        let (id, name) = (context.request.parameter("doc"), context.request.parameter("name"))
        guard id.utf8.first != UInt8(ascii: "_") else {
            throw HTTPFailure(.notFound, "not_found", "There is no such photo.")
        }
        return .rewritten(
            try RewrittenRequest(
                context.request, to: "/\(GeoPixModule.database)/\(id.percentEncoded)/\(name.percentEncoded)"))
    }

    @Sendable private func thumbnail(_ context: RequestContext) async throws {
        let photo = try photo(context.request.parameter("doc"))
        do {
            guard let (bytes, digest) = try await thumbnails.thumbnail(of: photo) else {
                throw HTTPFailure(.notFound, "not_found", "The photo has no picture.")
            }
            let tag = "\"\(digest)-\(Thumbnails.side)\""
            var headers = context.headers(ofStored: "image/jpeg")
            headers[.eTag] = tag
            headers[.cacheControl] = "max-age=3600"
            guard context.request.header(.ifNoneMatch) != tag else {
                return try await context.response.sendEmpty(.notModified, headers: headers)
            }
            try await context.response.send(contentType: "image/jpeg", headers: headers, body: bytes)
        } catch let error as PhotoError {
            let status: HTTPResponse.Status = error.code == .unavailable ? .serviceUnavailable : .unsupportedMediaType
            throw HTTPFailure(status, error.code.rawValue, error.message)
        }
    }
}

extension PhotoPosition {
    /// Reads the parameters of a page; `nil` for the first page.
    init?(_ request: ServerRequest) throws {
        guard let before = request.target.value("before") else { return nil }
        guard let sort = Double(before), sort.isFinite else {
            throw HTTPFailure(.badRequest, "bad_request", "`before` must be a number, the `sort` of a photo.")
        }
        self.init(sort: sort, id: request.target.value("beforeId") ?? "")
    }
}

extension Photo {
    /// The photo as JSON, with the paths of its picture and its thumbnail if it has a picture.
    var json: JSONValue {
        var members = entry.body
        members["type"] = nil
        members["caption"] = entry.caption.map { .string($0) } ?? .null
        (members["id"], members["user"]) = (.string(id), .string(owner))
        if let name = imageName {
            members["image"] = .string("/image/\(id.percentEncoded)/\(name.percentEncoded)")
            members["thumbnail"] = .string("/thumbnail/\(id.percentEncoded)/\(name.percentEncoded)")
        }
        return .object(members)
    }
}

extension PhotoGallery.Event {
    private var name: String {
        switch self {
        case .image: "image"
        case .gone: "gone"
        }
    }

    private var data: JSONValue {
        switch self {
        case .image(let photo): photo.json
        case .gone(let id): ["id": .string(id)]
        }
    }

    /// The event as a server-sent event.
    fileprivate var text: String { "event: \(name)\ndata: \(data.jsonText())\n\n" }

    /// The event as a message of a WebSocket.
    fileprivate var message: String { JSONValue.object(["event": .string(name), "data": data]).jsonText() }
}
