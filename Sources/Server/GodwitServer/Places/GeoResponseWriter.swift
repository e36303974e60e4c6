//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces
import GodwitStore

/// A geometry in the results, with the values of its document.
struct GeoRow: Sendable {
    let found: GeoFound
    /// The id of the document.
    let id: String
    /// The revision of the document's winner at the time at which the page of results was read; `nil` if the results
    /// contain no revisions.
    let revision: RevisionID?
}

/// Writes the results of a geospatial query in one of Cloudant's formats, and reads their documents while it writes.
struct GeoResponseWriter {
    let datastore: Datastore
    let parameters: GeoParameters
    let response: ServerResponse

    func write(_ page: GeoRows<GeoRow>) async throws {
        // The geometries are transformed here only as a check, before the response begins. If one of them cannot be
        // transformed, the client gets an error response instead of an incomplete response.
        for row in page.rows where parameters.includesGeometries && row.found.system != parameters.system {
            _ = try geometry(row.found)
        }
        var text: [UInt8] = []
        text.append(literal: "{\"bookmark\":")
        JSONWriter.appendQuoted(page.bookmark, to: &text)
        text.append(raw: parameters.format == .view ? ",\"rows\":[" : ",\"type\":\"FeatureCollection\",\"features\":[")
        for (index, row) in page.rows.enumerated() {
            text.append(raw: index == 0 ? "\n" : ",\n")
            try append(row, to: &text)
            guard text.count >= response.sliceBytes else { continue }
            if !response.hasBegun { try await response.begin(contentType: "application/json") }
            try await response.write(taking: &text)
        }
        text.append(literal: "\n]}\n")
        guard response.hasBegun else { return try await response.sendJSON(body: text) }
        try await response.write(text)
        try await response.finish()
    }

    private func append(_ row: GeoRow, to text: inout [UInt8]) throws {
        let document =
            parameters.includesDocuments
            ? try datastore.read { try $0.row(id: row.id) }.flatMap { $0.winner.isDeleted ? nil : $0 } : nil
        switch parameters.format {
        case .view: try appendView(row, document, to: &text)
        case .geojson: try appendFeature(row, document, to: &text)
        case .legacy: try appendLegacy(row, document, to: &text)
        }
        if parameters.includesDistances {
            text.append(literal: ",\"distance\":")
            JSONWriter.append(row.found.position.metres, to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }

    /// Returns the geometry in the coordinate system of the results.
    private func geometry(_ found: GeoFound) throws -> Geometry {
        try CoordinateTransformation.between(found.system, and: parameters.system).transform(found.geometry)
    }

    private func appendGeometry(of row: GeoRow, to text: inout [UInt8]) throws {
        guard parameters.includesGeometries else { return }
        text.append(literal: ",\"geometry\":")
        try geometry(row.found).appendJSON(to: &text)
    }

    // MARK: Formats, without the closing text

    private func appendView(_ row: GeoRow, _ document: DocumentRow?, to text: inout [UInt8]) throws {
        text.append(literal: "{\"id\":")
        JSONWriter.appendQuoted(row.id, to: &text)
        if let revision = row.revision {
            text.append(literal: ",\"rev\":\"")
            text.append(revision)
            text.append(UInt8(ascii: "\""))
        }
        try appendGeometry(of: row, to: &text)
        guard parameters.includesDocuments else { return }
        text.append(literal: ",\"doc\":")
        text += document.map { StoredRevision(winnerOf: $0).documentText } ?? Array("null".utf8)
    }

    /// Appends a Feature. Its properties are the document's member `properties`. If the document has no such member,
    /// the properties are all members of the document except `type` and `geometry`. If the results contain no
    /// documents, the properties are an empty list, as in Cloudant.
    private func appendFeature(_ row: GeoRow, _ document: DocumentRow?, to text: inout [UInt8]) throws {
        text.append(literal: "{\"_id\":")
        JSONWriter.appendQuoted(row.id, to: &text)
        var properties: JSONValue = []
        if let document {
            text.append(literal: ",\"_rev\":\"")
            text.append(document.winner.revision)
            text.append(UInt8(ascii: "\""))
            var body = try JSONValue(parsing: document.body).objectValue ?? [:]
            for name in ["type", "geometry"] { body[name] = nil }
            properties = body["properties"].flatMap { $0.objectValue == nil ? nil : $0 } ?? .object(body)
        }
        try appendGeometry(of: row, to: &text)
        text.append(literal: ",\"type\":\"Feature\",\"properties\":")
        text += properties.jsonBytes()
    }

    private func appendLegacy(_ row: GeoRow, _ document: DocumentRow?, to text: inout [UInt8]) throws {
        var members: JSONObject = ["id": .string(row.id)]
        if let document {
            for (name, value) in try JSONValue(parsing: document.body).objectValue ?? [:] { members[name] = value }
        }
        // If the document has a member `distance`, the distance of the row replaces it.
        if parameters.includesDistances { members["distance"] = nil }
        text += JSONValue.object(members).jsonBytes().dropLast()
    }
}
