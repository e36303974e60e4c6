//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The format of a file.
package enum ExchangeFormat: String, CaseIterable, Sendable {
    case geojson, jsonl, csv, gpx

    private static let extensions: [String: ExchangeFormat] = [
        "geojson": .geojson, "json": .geojson, "geojsonl": .geojson, "geojsonseq": .geojson, "geojsons": .geojson,
        "jsonl": .jsonl, "ndjson": .jsonl, "csv": .csv, "tsv": .csv, "gpx": .gpx,
    ]

    /// The format that a file's name tells; `nil` when it tells none.
    package init?(path: String) {
        guard let format = ExchangeFormat.extensions[ExchangeFormat.nameExtension(of: path)] else { return nil }
        self = format
    }

    /// Whether a file's name tells that each line is a text of GeoJSON.
    package static func hasFeatureLines(_ path: String) -> Bool {
        ["geojsonl", "geojsonseq", "geojsons"].contains(nameExtension(of: path))
    }

    /// Whether a file's name tells that tabs stand between fields.
    package static func hasTabs(_ path: String) -> Bool { nameExtension(of: path) == "tsv" }

    private static func nameExtension(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }
}
