//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitServer
import HTTPTypes
import ProgramKit

/// The pages of the feed for browsers. They work without scripts.
struct PageRoutes: Sendable {
    let feed: ImageFeed

    private static let gridLimit = 30
    private static let cloudTagsMax = 100
    private static let popularTagsCount = 12

    var routes: [Route] {
        [
            Route(.get, "/explore", access: .anyone, handler: explore),
            Route(.get, "/photo/{id}", access: .anyone, work: .light, handler: photo),
            Route(.get, "/user/{id}", access: .anyone, handler: user),
            Route(.get, "/tag/{tag}", access: .anyone, handler: tag),
            Route(.get, "/cloud", access: .anyone, handler: cloud),
            Route(.get, "/find", access: .anyone, handler: find),
            Route(.get, "/explore/files/{file}", access: .anyone, work: .light, handler: file),
        ]
    }

    private func send(_ page: WebPage, _ context: RequestContext, _ status: HTTPResponse.Status = .ok) async throws {
        let policy = PagePolicy(sendsForms: true)
        try await context.response.send(
            status, contentType: "text/html; charset=utf-8", headers: policy.headers,
            body: Array(page.html(scriptNonce: policy.nonce).utf8))
    }

    // MARK: Lists

    @Sendable private func explore(_ context: RequestContext) async throws {
        let position = context.request.target.value("before")
        let page = try await feed.page(after: position, limit: Self.gridLimit)
        var grid = try grid(page, path: "/explore")
        grid.emptyText = "There are no photos yet. Post the first one with the app."
        try await send(
            WebPage(title: "Explore", tab: .explore, body: (position == nil ? WebPage.news : "") + grid.html), context)
    }

    @Sendable private func tag(_ context: RequestContext) async throws {
        let tag = context.request.parameter("tag")
        let page = try await feed.page(
            after: context.request.target.value("before"), tag: tag, limit: Self.gridLimit)
        var grid = try grid(page, path: "/tag/\(tag.percentEncoded)")
        grid.emptyText = "No photo has this tag."
        try await send(
            WebPage(title: "#\(tag)", tab: .cloud, body: "<h1><bdi>#\(tag.markupEscaped)</bdi></h1>\n" + grid.html),
            context)
    }

    private func grid(_ page: ImageFeed.Page, path: String) throws -> PhotoGrid {
        PhotoGrid(images: page.images, names: try feed.names(of: page.images), next: page.next, path: path)
    }

    @Sendable private func cloud(_ context: RequestContext) async throws {
        let tags = try await feed.tags(limit: Self.cloudTagsMax)
        try await send(WebPage(title: "Tags", tab: .cloud, body: TagCloud(tags: tags).html), context)
    }

    @Sendable private func find(_ context: RequestContext) async throws {
        let words = context.request.target.value("q") ?? ""
        var body = SearchForm(words: words).html
        if words.isEmpty {
            let tags = try await feed.tags(limit: Self.popularTagsCount)
            body += tags.isEmpty ? "" : "<h2>Popular tags</h2>\n" + TagCloud(tags: tags).list
        } else {
            let images = try await feed.images(with: words)
            var grid = try grid(ImageFeed.Page(images: images, next: nil), path: "/find")
            grid.emptyText = "No photo has these words. Search for fewer words, or for a tag."
            body += grid.html
        }
        try await send(WebPage(title: words.isEmpty ? "Search" : "Search: \(words)", tab: .find, body: body), context)
    }

    // MARK: One photo, one user

    @Sendable private func photo(_ context: RequestContext) async throws {
        guard let image = try feed.image(context.request.parameter("id")) else {
            return try await sendMissing("This photo does not exist, or its owner has deleted it.", context)
        }
        let name = try feed.profile(image.owner)?.name ?? image.ownerName
        let photo = PhotoPage(
            image: image, name: name, address: context.request.url("/photo/\(image.id)"),
            picture: context.request.url("/pictures/\(image.id)"))
        try await send(
            WebPage(title: photo.title, tab: nil, preview: photo.preview, body: photo.html), context)
    }

    @Sendable private func user(_ context: RequestContext) async throws {
        let id = context.request.parameter("id")
        let profile = try feed.profile(id)
        let page = try await feed.page(
            after: context.request.target.value("before"), of: id, limit: Self.gridLimit)
        guard profile != nil || !page.images.isEmpty else {
            return try await sendMissing("There is no user with this name.", context)
        }
        let name = profile?.name ?? id
        let head = UserHead(id: id, name: name, picture: profile?.picture, count: try await feed.count(of: id))
        var grid = try grid(page, path: "/user/\(id.percentEncoded)")
        grid.emptyText = "No photos yet."
        try await send(WebPage(title: name, tab: nil, body: head.html + grid.html), context)
    }

    private func sendMissing(_ text: String, _ context: RequestContext) async throws {
        let body =
            "<div class=\"empty\"><h1>Not found</h1><p>\(text)</p><p><a href=\"/explore\">Explore photos</a></p></div>"
        try await send(WebPage(title: "Not found", tab: nil, body: body), context, .notFound)
    }

    // MARK: Files

    @Sendable private func file(_ context: RequestContext) async throws {
        guard let file = EmbeddedFiles.bluePic.file(context.request.parameter("file"), in: "web") else {
            throw HTTPFailure(.notFound, "not_found", "The pages have no such file.")
        }
        try await context.response.send(
            contentType: file.contentType, headers: PagePolicy.fileHeaders, body: file.bytes)
    }
}
