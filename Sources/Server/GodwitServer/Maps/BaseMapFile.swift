//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CMaps
import GodwitBase

/// A file of the base map. It is a script that draws the map, or a tile. This type is for programs that serve the files
/// of the map themselves.
public struct BaseMapFile: Sendable {
    /// The scripts by their names.
    private static let scripts = [
        "base-map.js": BASE_MAP_LAYER, "tile.js": BASE_MAP_TILE, "labels.js": BASE_MAP_LABELS,
        "style.js": BASE_MAP_STYLE,
    ]

    static let tileType = "application/octet-stream"

    /// The media type.
    public let contentType: String
    /// The content, not compressed.
    public let bytes: [UInt8]

    /// Returns a script; `nil` if the base map has no such script.
    static func script(_ name: String) -> BaseMapFile? {
        scripts[name].map { BaseMapFile(contentType: "text/javascript; charset=utf-8", bytes: BaseMap.bytes(of: $0)) }
    }

    /// Returns the file with a path, such as `/_base/base-map.js` or `/_base/3/4/2`; `nil` if the base map has no such
    /// file or is damaged. Throws an error if a tile cannot be decompressed.
    public static func at(_ path: String) async throws -> BaseMapFile? {
        let segments = path.pieces(at: "/", omittingEmptySubsequences: false).map(String.init)
        guard segments.count >= 3, segments[0].isEmpty, segments[1] == "_base" else { return nil }
        guard segments.count == 5 else { return segments.count == 3 ? script(segments[2]) : nil }
        guard let map = BaseMap.embedded,
            let coordinates = TileCoordinates(zoom: segments[2], column: segments[3], row: segments[4])
        else { return nil }
        return BaseMapFile(contentType: tileType, bytes: try await map.tile(at: coordinates).bytes)
    }
}
