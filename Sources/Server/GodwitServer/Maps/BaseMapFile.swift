//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A file of the base map. It is a script that draws the map, or a tile. This type is for programs that serve the files
/// of the map themselves.
public struct BaseMapFile: Sendable {
    static let tileType = "application/octet-stream"

    /// The media type.
    public let contentType: String
    /// The content, not compressed.
    public let bytes: [UInt8]

    /// Returns a script; `nil` if the base map has no such script.
    static func script(_ name: String) -> EmbeddedFile? {
        name.ends(with: ".js") ? EmbeddedFile(name, in: "base-map") : nil
    }

    /// Returns the file with a path, such as `/_base/base-map.js` or `/_base/3/4/2`; `nil` if the base map has no such
    /// file or is damaged. Throws an error if a tile cannot be decompressed.
    public static func at(_ path: String) async throws -> BaseMapFile? {
        let segments = path.pieces(at: "/", omittingEmptySubsequences: false).map(String.init)
        guard segments.count >= 3, segments[0].isEmpty, segments[1] == "_base" else { return nil }
        guard segments.count == 5 else {
            guard segments.count == 3, let script = script(segments[2]) else { return nil }
            return BaseMapFile(contentType: script.contentType, bytes: script.bytes)
        }
        guard let map = BaseMap.embedded,
            let coordinates = TileCoordinates(zoom: segments[2], column: segments[3], row: segments[4])
        else { return nil }
        return BaseMapFile(contentType: tileType, bytes: try await map.tile(at: coordinates).bytes)
    }
}
