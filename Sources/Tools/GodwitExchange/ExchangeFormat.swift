//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The format of a file.
package enum ExchangeFormat: String, CaseIterable, Sendable {
    case geojson, jsonl, csv, gpx

    private static let extensions: [String: ExchangeFormat] = [
        "geojson": .geojson, "json": .geojson, "geojsonl": .geojson, "geojsonseq": .geojson, "geojsons": .geojson,
        "jsonl": .jsonl, "ndjson": .jsonl, "csv": .csv, "tsv": .csv, "gpx": .gpx,
    ]

    /// The format for a file name's extension; `nil` when the extension is unknown.
    package init?(path: String) {
        guard let format = ExchangeFormat.extensions[ExchangeFormat.nameExtension(of: path)] else { return nil }
        self = format
    }

    /// Whether a file with this extension contains a sequence of GeoJSON texts. Either each line is a text, or each
    /// text follows a record separator.
    package static func hasFeatureLines(_ path: String) -> Bool {
        ["geojsonl", "geojsonseq", "geojsons"].contains(nameExtension(of: path))
    }

    /// Whether the file name's extension means that tabs separate fields.
    package static func hasTabs(_ path: String) -> Bool { nameExtension(of: path) == "tsv" }

    private static func nameExtension(of path: String) -> String {
        let name = path.pieces(at: "/").last ?? ""
        return name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name[name.utf8.index(after: $0)...].lowercased() } ?? ""
    }
}
