//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import HTTPTypes
import ProgramKit

/// The routes of the images, as in the API of 2019.
struct ImageRoutes: Sendable {
    let feed: ImageFeed
    let writer: ImageWriter
    let limits: RequestLimits

    /// The interval, in seconds, at which a stream of events sends a comment line to its client.
    private static let heartbeatSeconds = 15
    private static let searchLimit = 60
    private static let tagsMax = 1_000

    var routes: [Route] {
        [
            Route(.get, "/ping", access: .anyone, work: .light, handler: ping),
            Route(.get, "/images", access: .anyone, handler: images),
            Route(
                .post, "/images", access: .anyone, condition: "a user of BluePic", posts: .any, handler: post),
            Route(.get, "/images/events", access: .anyone, handler: events),
            Route(.get, "/images/tag/{tag}", access: .anyone, handler: tagged),
            Route(.get, "/images/{id}", access: .anyone, work: .light, handler: one),
            Route(.delete, "/images/{id}", access: .anyone, condition: "the owner", work: .light, handler: delete),
            Route(.get, "/tags", access: .anyone, handler: tags),
            Route(.get, "/search", access: .anyone, handler: search),
            Route(
                .post, "/push/images/{id}", access: .anyone, condition: "the owner", work: .light, posts: .any,
                handler: push),
            Route(
                .post, "/push/images", access: .anyone, condition: "a user of BluePic", work: .light, posts: .any,
                handler: pushWithoutID),
        ]
    }

    @Sendable private func ping(_ context: RequestContext) async throws {
        try await context.response.send(
            contentType: "text/plain; charset=utf-8",
            body: Array("Hello World, from BluePic-Server! Original URL: \(context.request.head.path ?? "/")".utf8))
    }

    // MARK: Reading

    @Sendable private func images(_ context: RequestContext) async throws {
        let page = try await feed.page(after: context.request.target.value("before"), limit: limit(context))
        try await send(page, at: "/images", context)
    }

    @Sendable private func tagged(_ context: RequestContext) async throws {
        let tag = context.request.parameter("tag")
        let page = try await feed.page(
            after: context.request.target.value("before"), tag: tag, limit: limit(context))
        try await send(page, at: "/images/tag/\(tag.percentEncoded)", context)
    }

    private func limit(_ context: RequestContext) -> Int {
        let requested = context.request.target.value("limit").flatMap { Int($0) }
        return min(max(requested ?? ImageFeed.pageLimitMax, 1), ImageFeed.pageLimitMax)
    }

    private func send(_ page: ImageFeed.Page, at path: String, _ context: RequestContext) async throws {
        try await context.send(page, at: path, names: try feed.names(of: page.images))
    }

    @Sendable private func one(_ context: RequestContext) async throws {
        guard let image = try feed.image(context.request.parameter("id")) else { throw HTTPFailure.noImage }
        try await send(image, .ok, context)
    }

    private func send(_ image: FeedImage, _ status: HTTPResponse.Status, _ context: RequestContext) async throws {
        let name = try feed.profile(image.owner)?.name
        try await context.response.sendJSON(
            status, headers: [.cacheControl: "no-cache"], body: image.json(userName: name).jsonBytes())
    }

    /// Sends the event `ready`. After that, sends the event `image` for each new or changed image, and the event `gone`
    /// for each deleted document. The stream ends when the client disconnects, when the client is too slow, or when the
    /// database is closed.
    @Sendable private func events(_ context: RequestContext) async throws {
        let response = context.response
        let events = feed.events()
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

    /// Sends the labels of the most used tags. If the request has the parameter `limit`, sends objects that contain a
    /// label and the number of its images.
    @Sendable private func tags(_ context: RequestContext) async throws {
        let body: JSONValue
        if let limit = context.request.target.value("limit").flatMap({ Int($0) }) {
            let tags = try await feed.tags(limit: min(max(limit, 1), Self.tagsMax))
            body = .array(tags.map { ["label": .string($0.label), "count": .integer(Int64($0.count))] })
        } else {
            body = .array(try await feed.tags(limit: ImageFeed.topTagsCount).map { .string($0.label) })
        }
        try await context.response.sendJSON(headers: [.cacheControl: "no-cache"], body: body.jsonBytes())
    }

    @Sendable private func search(_ context: RequestContext) async throws {
        let images = try await feed.images(
            with: context.request.target.value("q") ?? "", limit: Self.searchLimit)
        try await send(ImageFeed.Page(images: images, next: nil), at: "/search", context)
    }

    // MARK: Writing

    @Sendable private func post(_ context: RequestContext) async throws {
        let client = Client(context)
        // A guest is refused before the body is read.
        if client == .guest { _ = try client.acting(for: nil) }
        try checkOrigin(context.request)
        let post = try await ImagePost(context.request)
        let owner = try client.acting(for: post.userId)
        if client == .administrator {
            let (image, isNew) = try await writer.add(post, of: owner)
            return try await send(image, isNew ? .created : .ok, context)
        }
        guard post.uploaded == nil else {
            throw HTTPFailure(.forbidden, "forbidden", "Only an administrator can set uploadedTs.")
        }
        try limits.count(owner)
        let (image, isNew) = try await writer.add(post, of: owner)
        try await send(image, isNew ? .created : .ok, context)
    }

    /// Refuses a request that a page of another site can cause. A browser sends such a request with the user's cookie,
    /// and the header `Origin` contains the other site. Requests with JSON are not refused: for a page of another site,
    /// a browser sends JSON only if the CORS settings of this server permit it.
    private func checkOrigin(_ request: ServerRequest) throws {
        guard !request.isJSON, let origin = request.header(.origin) else { return }
        let host = try request.host
        guard origin == "http://\(host)" || origin == "https://\(host)" else {
            throw HTTPFailure(.forbidden, "forbidden", "A form must come from a page of this server.")
        }
    }

    @Sendable private func delete(_ context: RequestContext) async throws {
        let client = Client(context)
        if client == .guest { _ = try client.acting(for: nil) }
        try await writer.remove(context.request.parameter("id"), uploader: client.user) { client.mayChange(of: $0) }
        try await context.response.sendJSON(body: Array(#"{"ok":true}"#.utf8))
    }

    // MARK: Push

    /// Responds that push notifications are not supported. In the API of 2019, this route sends a push notification.
    @Sendable private func push(_ context: RequestContext) async throws {
        let client = Client(context)
        if client == .guest { _ = try client.acting(for: nil) }
        guard let image = try feed.image(context.request.parameter("id")) else { throw HTTPFailure.noImage }
        guard client.mayChange(of: image.owner) else {
            throw HTTPFailure(.forbidden, "forbidden", "Only the owner can request a notification about an image.")
        }
        try await context.response.sendJSON(body: Array(#"{"status":false}"#.utf8))
    }

    @Sendable private func pushWithoutID(_ context: RequestContext) async throws {
        _ = try Client(context).acting(for: nil)
        throw HTTPFailure(.badRequest, "bad_request", "The path needs the id of an image: /push/images/ID.")
    }
}

extension HTTPFailure {
    static var noImage: HTTPFailure { HTTPFailure(.notFound, "not_found", "There is no such image.") }
}

extension RequestContext {
    /// Sends a page of images. If there is a next page, the header `Link` contains its address, with the same limit,
    /// and the header `X-Next` contains its position.
    func send(_ page: ImageFeed.Page, at path: String, names: FullNames) async throws {
        var headers: HTTPFields = [.cacheControl: "no-cache"]
        if let next = page.next {
            let limit = request.target.value("limit").map { "&limit=\($0.percentEncoded)" } ?? ""
            headers[.next] = next
            headers[.link] = "<\(path)?before=\(next.percentEncoded)\(limit)>; rel=\"next\""
        }
        let images = page.images.map { $0.json(userName: names[$0.owner]) }
        try await response.sendJSON(headers: headers, body: JSONValue.array(images).jsonBytes())
    }
}

extension HTTPField.Name {
    fileprivate static let next = Self("X-Next")!
    fileprivate static let link = Self("Link")!
}

extension ImageFeed.Event {
    /// The event as a server-sent event.
    fileprivate var text: String {
        switch self {
        case .image(let image): "event: image\ndata: \(image.json(userName: nil).jsonText())\n\n"
        case .gone(let id): "event: gone\ndata: \(JSONValue.object(["id": .string(id)]).jsonText())\n\n"
        }
    }
}
