//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import HTTPTypes

/// The server module that serves the files of a geospatial index's map page: its own files, Leaflet, and the base map.
struct MapModule: ServerModule {
    let name = "Maps"
    /// The file of tiles that are drawn above the base map of the world; `nil` for none.
    private let tileFile: TileFile?

    init(tiles: TileFile?) { tileFile = tiles }

    var routes: [Route] {
        [
            Route(.get, "/_map", access: .anyone, work: .light, handler: page),
            Route(.get, "/_map/{file}", access: .anyone, work: .light, handler: file),
            Route(.get, "/_map/leaflet/{file...}", access: .anyone, work: .light, handler: leaflet),
            Route(.get, "/_tiles", access: .anyone, work: .light, handler: tiles),
            Route(.get, "/_tiles/{zoom}/{column}/{row}", access: .anyone, work: .light, handler: tile),
        ]
    }

    /// Sends the page. No login is necessary, because the page itself contains no data. The script of the page reads
    /// the address of the index from the fragment of the page's URL, the part after the `#`.
    @Sendable private func page(_ context: RequestContext) async throws {
        try await MapModule.sendPage(to: context)
    }

    /// Sends the page of a geospatial index.
    static func sendPage(to context: RequestContext) async throws {
        guard let page = EmbeddedFile("map.html", in: "map") else {
            throw HTTPFailure(.internalServerError, "internal_server_error", "the page of the map is missing")
        }
        try await page.send(to: context, with: PagePolicy(images: ["data:"]))
    }

    /// Returns the path of the page that shows the index which a request's path names; `nil` for a request without a
    /// path. The page needs no login.
    static func page(ofIndexAt request: ServerRequest) -> String? {
        request.head.path.map { "/_map#" + $0.prefix { $0 != "?" } }
    }

    @Sendable private func file(_ context: RequestContext) async throws {
        let name = context.request.parameter("file")
        guard !name.ends(with: ".html"), let file = EmbeddedFile(name, in: "map") else {
            throw HTTPFailure(.notFound, "not_found", "the map has no such file")
        }
        try await file.send(to: context)
    }

    @Sendable private func leaflet(_ context: RequestContext) async throws {
        try await LibraryFile(context.request.parameter("file"), of: .leaflet).send(to: context.response)
    }

    @Sendable private func tiles(_ context: RequestContext) async throws {
        try await context.response.sendJSON(body: (tileFile?.description ?? ["available": false]).line)
    }

    /// The time for which clients may cache a tile, in seconds.
    private static let tileSeconds = 86_400

    @Sendable private func tile(_ context: RequestContext) async throws {
        let request = context.request
        try StoredContent.check(request)
        guard let tiles = tileFile else {
            throw HTTPFailure(.notFound, "not_found", "no tiles are served: start the server with --tiles FILE")
        }
        guard
            let coordinates = TileCoordinates(
                zoom: request.parameter("zoom"), column: request.parameter("column"), row: request.parameter("row"))
        else { throw HTTPFailure(.badRequest, "bad_request", "the path of a tile is /_tiles/zoom/column/row") }
        guard let tile = try await tiles.tile(at: coordinates) else {
            throw HTTPFailure(.notFound, "not_found", "there is no such tile")
        }
        var headers = context.headers(ofStored: tile.format.contentType)
        headers[.eTag] = tile.tag
        headers[.cacheControl] = "max-age=\(MapModule.tileSeconds)"
        let isPacked = tile.format == .pbf && TileFormat.isGzip(tile.bytes)
        if isPacked { headers[.vary] = [headers[.vary], "Accept-Encoding"].compactMap(\.self).joined(separator: ", ") }
        guard !request.matches(tile.tag) else {
            return try await context.response.sendEmpty(.notModified, headers: headers)
        }
        var bytes = tile.bytes
        if isPacked, context.response.acceptsGzip {
            headers[.contentEncoding] = "gzip"
        } else if isPacked {
            bytes = try await TileFile.unpacked(bytes)
        }
        try await context.response.send(contentType: tile.format.contentType, headers: headers, body: bytes)
    }
}
