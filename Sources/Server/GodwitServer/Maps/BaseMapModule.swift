//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

/// The server module that serves the base map for pages, below `/_base`. It serves tiles and the scripts that draw
/// them. No login is necessary, because these files contain no data of the server.
struct BaseMapModule: ServerModule {
    let name = "BaseMap"

    // If two routes have a parameter at the same position of their paths, the router requires the same name for both.
    // Therefore `part` has two meanings: in one route it is the name of a script, and in the other a zoom level.

    /// The time for which clients may cache a tile, in seconds.
    private static let tileSeconds = 86_400

    var routes: [Route] {
        [
            Route(.get, "/_base/{part}", access: .anyone, work: .light, handler: script),
            Route(.get, "/_base/{part}/{column}/{row}", access: .anyone, work: .light, handler: tile),
        ]
    }

    @Sendable private func script(_ context: RequestContext) async throws {
        guard let script = BaseMapFile.script(context.request.parameter("part")) else {
            throw HTTPFailure(.notFound, "not_found", "the base map has no such file")
        }
        try await script.send(to: context)
    }

    @Sendable private func tile(_ context: RequestContext) async throws {
        let request = context.request
        guard
            let coordinates = TileCoordinates(
                zoom: request.parameter("part"), column: request.parameter("column"), row: request.parameter("row"))
        else { throw HTTPFailure(.badRequest, "bad_request", "the path of a tile is /_base/zoom/column/row") }
        guard let map = BaseMap.embedded else {
            throw HTTPFailure(.internalServerError, "internal_server_error", "the base map is damaged")
        }
        var headers: HTTPFields = [
            .eTag: "\"\(map.version)\"", .cacheControl: "max-age=\(BaseMapModule.tileSeconds)",
            .xContentTypeOptions: "nosniff", .vary: "Accept-Encoding",
        ]
        guard !request.matches("\"\(map.version)\"") else {
            return try await context.response.sendEmpty(.notModified, headers: headers)
        }
        let tile = map.tile(at: coordinates)
        let body: [UInt8]
        if case .shapes(let packed) = tile, context.response.acceptsGzip {
            headers[.contentEncoding] = "gzip"
            body = Array(packed)
        } else {
            body = try await tile.bytes
        }
        try await context.response.send(contentType: "application/octet-stream", headers: headers, body: body)
    }
}
