//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CMaps

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

    func send(to response: ServerResponse) async throws {
        guard self == .page else {
            return try await response.send(contentType: contentType, headers: PagePolicy.fileHeaders, body: bytes)
        }
        let policy = PagePolicy(images: ["data:"])
        try await response.send(contentType: contentType, headers: policy.headers, body: policy.adding(to: bytes))
    }
}
