//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CMapAssets
import HTTPTypes

/// A file for maps that is embedded in the program.
public enum MapAsset: String, CaseIterable {
    /// The page of a geospatial index.
    case page = "map.html"
    /// The page's style sheet.
    case style = "map.css"
    /// The page's script.
    case script = "map.js"
    /// The script that draws shapes.
    case drawing = "drawing.js"

    /// The file's bytes.
    public var bytes: [UInt8] {
        var size = 0
        let start = map_asset(asset, &size)
        return Array(UnsafeBufferPointer(start: start, count: size))
    }

    private var asset: map_asset {
        switch self {
        case .page: MAP_PAGE
        case .style: MAP_STYLE
        case .script: MAP_SCRIPT
        case .drawing: MAP_DRAWING
        }
    }

    var contentType: String {
        switch self {
        case .page: "text/html; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        case .script, .drawing: "text/javascript; charset=utf-8"
        }
    }

    /// The content security policy of the page. The page may load only resources of this server and images in `data:`
    /// URLs. Inline scripts and inline styles are not allowed.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    func send(to response: ServerResponse) async throws {
        let headers: HTTPFields = [
            .contentSecurityPolicy: MapAsset.policy, .xContentTypeOptions: "nosniff", .cacheControl: "no-cache",
            .referrerPolicy: "no-referrer",
        ]
        try await response.send(contentType: contentType, headers: headers, body: bytes)
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
