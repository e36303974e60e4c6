//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GeoPixCore
import GodwitQuery
import GodwitServer
import HTTPTypes
import ProgramKit

/// The pages: the map, and the list, which works without scripts.
struct PageRoutes {
    let gallery: PhotoGallery

    private static let listLimit = 24

    var routes: [Route] {
        [
            Route(.get, "/map", access: .anyone, work: .light, handler: map),
            Route(.get, "/list", access: .anyone, handler: list),
            Route(.get, "/photos/files/{file}", access: .anyone, work: .light, handler: file),
            Route(.get, "/photos/leaflet/{file...}", access: .anyone, work: .light, handler: leaflet),
        ]
    }

    private static let mapName = "map.html"

    @Sendable private func map(_ context: RequestContext) async throws {
        let (file, policy) = (try Self.file(Self.mapName), PagePolicy(images: ["data:"]))
        try await context.response.send(
            contentType: file.contentType, headers: policy.headers, body: policy.adding(to: file.bytes))
    }

    @Sendable private func file(_ context: RequestContext) async throws {
        let file = try Self.file(context.request.parameter("file"))
        try await context.response.send(
            contentType: file.contentType, headers: PagePolicy.fileHeaders, body: file.bytes)
    }

    private static func file(_ name: String) throws(HTTPFailure) -> EmbeddedFiles.File {
        guard let file = EmbeddedFiles.geoPix.file(name, in: "web") else {
            throw HTTPFailure(.notFound, "not_found", "The pages have no such file.")
        }
        return file
    }

    @Sendable private func leaflet(_ context: RequestContext) async throws {
        try await LibraryFile(context.request.parameter("file"), of: .leaflet).send(to: context.response)
    }

    // MARK: The list

    @Sendable private func list(_ context: RequestContext) async throws {
        let position = try PhotoPosition(context.request)
        let page = try await gallery.datastore().photos(after: position, limit: Self.listLimit)
        try await context.response.send(
            contentType: "text/html; charset=utf-8", headers: PagePolicy(images: ["data:"]).headers,
            body: Array(ListPage(page: page, isFirst: position == nil).html.utf8))
    }
}
