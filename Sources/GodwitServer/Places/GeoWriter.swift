//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitGeo
import GodwitJSON
import GodwitPlaces
import GodwitStore

/// A geometry that was found, and what a client is told of its document.
struct GeoRow: Sendable {
    let found: GeoFound
    /// The id of the document.
    let id: String
    /// Its winner when the page was read, in a form that tells it.
    let revision: RevisionID?
}

/// Writes what a geospatial query found, in one of Cloudant's forms, as its documents are read.
struct GeoWriter {
    let datastore: Datastore
    let parameters: GeoParameters
    let response: ServerResponse

    func write(_ found: GeoRows<GeoRow>) async throws {
        var text = DocumentText()
        let bookmark = JSONValue.string(found.bookmark).jsonText()
        let lists = parameters.format == .view ? "rows" : "features"
        // What has no place in the other coordinate system is an error and not half an answer.
        if parameters.includesGeometries { for row in found.rows { _ = try geometry(row.found) } }
        try await response.begin(contentType: "application/json")
        text.append(raw: "{\"bookmark\":\(bookmark),")
        if parameters.format != .view { text.append(raw: "\"type\":\"FeatureCollection\",") }
        text.append(raw: "\"\(lists)\":[")
        for (place, row) in found.rows.enumerated() {
            text.append(raw: place == 0 ? "\n" : ",\n")
            text += try self.row(row)
            if text.bytes.count >= response.sliceBytes {
                try await response.write(text.bytes)
                text = DocumentText()
            }
        }
        text.append(raw: "\n]}\n")
        try await response.write(text.bytes)
        try await response.finish()
    }

    private func row(_ row: GeoRow) throws -> [UInt8] {
        let document =
            parameters.includesDocuments
            ? try datastore.read { try $0.row(id: row.id) }.flatMap { $0.winner.isDeleted ? nil : $0 } : nil
        let geometry: JSONValue? = parameters.includesGeometries ? try geometry(row.found).json : .none
        var members: JSONObject
        switch parameters.format {
        case .view: members = view(row, geometry)
        case .geojson: members = try feature(row, geometry, document)
        case .legacy: members = try legacy(row, document)
        }
        if parameters.includesDistances { members["distance"] = .double(row.found.place.metres) }
        var bytes = JSONValue.object(members).jsonBytes()
        guard parameters.format == .view, parameters.includesDocuments else { return bytes }
        bytes.removeLast()
        bytes += Array(",\"doc\":".utf8)
        bytes += document.map { StoredRevision(winnerOf: $0).documentText } ?? Array("null".utf8)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// The geometry in the system that is wanted.
    private func geometry(_ found: GeoFound) throws -> Geometry {
        try CoordinateTransformation.between(found.system, and: parameters.system).transform(found.geometry)
    }

    // MARK: Forms

    private func view(_ row: GeoRow, _ geometry: JSONValue?) -> JSONObject {
        var members: JSONObject = ["id": .string(row.id)]
        if let revision = row.revision { members["rev"] = .string("\(revision)") }
        if let geometry { members["geometry"] = geometry }
        return members
    }

    /// A Feature. Its properties are the document's, or what members the document has beside its geometry; without the
    /// document they are an empty list, as Cloudant has it.
    private func feature(
        _ row: GeoRow, _ geometry: JSONValue?, _ document: DocumentRow?
    ) throws -> JSONObject {
        var members: JSONObject = ["_id": .string(row.id)]
        var properties: JSONValue = []
        if let document {
            members["_rev"] = .string("\(document.winner.revision)")
            var body = try JSONValue(parsing: document.body).objectValue ?? [:]
            for name in ["type", "geometry"] { body[name] = nil }
            properties = body["properties"].flatMap { $0.objectValue == nil ? nil : $0 } ?? .object(body)
        }
        if let geometry { members["geometry"] = geometry }
        members["type"] = "Feature"
        members["properties"] = properties
        return members
    }

    private func legacy(_ row: GeoRow, _ document: DocumentRow?) throws -> JSONObject {
        var members: JSONObject = ["id": .string(row.id)]
        if let document {
            for (name, value) in try JSONValue(parsing: document.body).objectValue ?? [:] { members[name] = value }
        }
        return members
    }
}
