//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitPlaces
import HTTPTypes

/// The parameters of a geospatial query, validated as by Cloudant. All of Cloudant's names for a parameter are
/// accepted. Unknown parameters are ignored, as in Cloudant.
struct GeoParameters {
    /// The format of the results.
    enum Format: String {
        case view, legacy, geojson

        /// Creates the format that the query names. If the query names no format, the format comes from the header
        /// `Accept`. If this header names no known format either, the format is `view`.
        init(_ reader: GeoParameterReader, accept: String?) throws(HTTPFailure) {
            if let (name, text) = reader.value("format") {
                guard let format = Format(rawValue: text) ?? (text == Self.mediaType ? .geojson : nil) else {
                    throw GeoParameterReader.invalid("format name", name, text)
                }
                self = format
            } else {
                let types = [Self.mediaType, "application/geo+json"]
                self = types.contains { accept?.includes($0) == true } ? .geojson : .view
            }
        }

        private static let mediaType = "application/vnd.geo+json"
    }

    let query: GeoQuery
    let format: Format
    let includesDocuments: Bool
    let includesGeometries: Bool
    /// Whether each row includes its distance from the point of the query, in meters. Cloudant has no such parameter.
    let includesDistances: Bool
    /// The coordinate system of the results.
    let system: CoordinateSystem

    /// Whether each row includes the revision of its document. This is the case if the format is `view` and the rows do
    /// not include their documents.
    var includesRevisions: Bool { format == .view && !includesDocuments }

    /// Parses the parameters.
    ///
    /// - Parameters:
    ///   - target: The request's target.
    ///   - accept: The header `Accept`.
    ///   - indexSystem: The coordinate system of the index. If the query does not name a coordinate system for its
    ///     geometry or for the results, the coordinate system of the index is used.
    /// - Throws: ``HTTPFailure`` with status 400 for invalid parameters.
    init(_ target: RequestTarget, accept: String?, indexSystem: CoordinateSystem) throws(HTTPFailure) {
        let reader = GeoParameterReader(target)
        let querySystem = try reader.system("srid", "srs") ?? indexSystem
        system = try reader.system("response_srid", "responseSrs") ?? indexSystem
        format = try Format(reader, accept: accept)
        includesDocuments = try reader.flag("include_docs") ?? false
        includesGeometries = try reader.flag("include_geoms") ?? true
        includesDistances = try reader.flag("include_distance") ?? false
        let nearest = try reader.flag("nearest") ?? false
        var query = GeoQuery(
            try GeoAreaReader(reader: reader, system: querySystem, nearest: nearest).area(), nearest: nearest)
        query.relation = try reader.relation()
        query.heights = try reader.heights()
        if query.relation ?? .none != .none, !query.heights.isEmpty {
            throw HTTPFailure(
                .badRequest, "filter_with_md_bbox", "A relation cannot be used with a bbox of more than 2 dimensions.")
        }
        query.limit = try reader.count("limit") ?? query.limit
        guard query.limit <= GeoLimits.hitsMax else {
            throw .badQuery("Limit must be less than or equal to \(GeoLimits.hitsMax)")
        }
        query.skip = try reader.count("skip", "startIndex") ?? 0
        guard query.skip <= GeoLimits.skipMax else {
            throw .badQuery(
                "Skip must be less than or equal to \(GeoLimits.skipMax). Use bookmarks to read further rows.")
        }
        query.bookmark = reader.value("bookmark").flatMap { $0.text.isEmpty ? nil : $0.text }
        self.query = query
    }

    /// Whether the request is for the page with the map.
    static func wantsPage(_ target: RequestTarget) -> Bool {
        GeoParameterReader(target).value("format")?.text == "html"
    }

    /// Whether an index may be queried without an update.
    static func acceptsStale(_ target: RequestTarget) throws(HTTPFailure) -> Bool {
        let reader = GeoParameterReader(target)
        _ = try reader.flag("stable")
        guard let (name, text) = reader.value("stale") else { return false }
        switch text {
        case "ok", "update_after", "true": return true
        case "false": return false
        default: throw GeoParameterReader.invalid("boolean", name, text)
        }
    }
}
