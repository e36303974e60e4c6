//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The format of the tiles in an MBTiles file.
enum TileFormat: String, CaseIterable {
    case png, jpg, webp
    /// Vector tiles of Mapbox, usually compressed with gzip. The map of the server cannot draw them.
    case pbf

    /// Parses the format in a file's metadata. The specification has `png`, `jpg`, `webp` and `pbf`; files also have
    /// media types and other letters.
    ///
    /// - Returns: `nil` for an unknown format.
    init?(name: String) {
        var name = Array(name.lowercased().utf8.filter { $0 > 0x20 })
        if let slash = name.lastIndex(of: UInt8(ascii: "/")) { name.removeSubrange(...slash) }
        switch String(decoding: name, as: UTF8.self) {
        case "png", "png8", "png24", "png32", "png256", "x-png": self = .png
        case "jpg", "jpeg", "pjpeg": self = .jpg
        case "webp": self = .webp
        case "pbf", "mvt", "x-protobuf", "protobuf", "vnd.mapbox-vector-tile": self = .pbf
        default: return nil
        }
    }

    /// Recognizes the format of a tile by its first bytes.
    ///
    /// - Returns: `nil` for an unknown format.
    init?(of tile: [UInt8]) {
        if tile.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if tile.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpg
        } else if tile.starts(with: "RIFF".utf8), tile.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else if TileFormat.isGzip(tile) || tile.first == TileFormat.layerField {
            self = .pbf
        } else {
            return nil
        }
    }

    /// The first byte of a vector tile that is not compressed: field 3, which has a length.
    private static let layerField: UInt8 = 0x1A

    /// Whether bytes begin as gzip does.
    static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    var contentType: String {
        switch self {
        case .png: "image/png"
        case .jpg: "image/jpeg"
        case .webp: "image/webp"
        case .pbf: "application/vnd.mapbox-vector-tile"
        }
    }
}
