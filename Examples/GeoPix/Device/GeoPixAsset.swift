//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CGeoPixAssets

/// A file of GeoPix's pages, embedded when the program is built.
public struct GeoPixAsset: Sendable {
    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
    ]

    /// The media type.
    public let contentType: String
    /// The content.
    public let bytes: [UInt8]

    /// Finds a file by its name: `device/NAME` for the screens of a device, `web/NAME` for the pages of the server.
    public init?(_ name: String) {
        var size = 0
        guard let type = GeoPixAsset.types[String(name.split(separator: ".").last ?? "")],
            let start = geopix_asset(name, &size)
        else { return nil }
        (contentType, bytes) = (type, Array(UnsafeBufferPointer(start: start, count: size)))
    }
}
