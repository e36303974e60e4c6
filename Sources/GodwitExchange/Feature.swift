//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// What a document has of a GeoJSON feature, and the other way round.
enum Feature {
    /// The types of geometries that GeoJSON has.
    static let geometryTypes: Set<String> = [
        "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection",
    ]

    /// The document of a feature's text. A geometry alone becomes a feature without properties.
    ///
    /// - Parameter idProperty: The property, or else the member, that is the id.
    static func document(_ text: [UInt8], idProperty: String?) throws(RecordError) -> FileDocument {
        var body = try object(text)
        let type = body["type"]?.stringValue ?? ""
        if geometryTypes.contains(type) {
            body = ["type": "Feature", "geometry": .object(body), "properties": [:]]
        } else if type != "Feature" {
            throw RecordError(
                "this is not a GeoJSON feature: its type is \(type.isEmpty ? "missing" : "`\(type)`"). "
                    + "If a member contains the features, name it with --features.")
        }
        guard body["geometry"].map({ $0.isNull || $0.objectValue != nil }) ?? true else {
            throw RecordError("the geometry is not an object")
        }
        let id = try id(of: body, idProperty)
        for name in ["_id", "_rev", "id"] { body.removeValue(forKey: name) }
        return FileDocument(id: id, body: body, byteCount: text.count)
    }

    private static func id(of body: JSONObject, _ property: String?) throws(RecordError) -> String? {
        guard let property else {
            guard let value = body["_id"] ?? body["id"], !value.isNull else { return nil }
            guard let id = value.documentID else { throw RecordError("the id is neither a string nor a number") }
            return id
        }
        guard let id = (body["properties"]?[property] ?? body[property])?.documentID else {
            throw RecordError("`\(property)`, the property for the id, is not a string or a number")
        }
        return id
    }

    /// The members of a JSON object's text.
    static func object(_ text: [UInt8]) throws(RecordError) -> JSONObject {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: text)
        } catch {
            throw RecordError("this is not JSON: \(error.message), at byte \(error.offset) of the record")
        }
        guard let object = value.objectValue else { throw RecordError("this is not a JSON object") }
        return object
    }

    /// The feature of a position.
    static func point(latitude: Double, longitude: Double, properties: JSONObject) -> JSONObject {
        [
            "type": "Feature",
            "geometry": ["type": "Point", "coordinates": [.double(longitude), .double(latitude)]],
            "properties": .object(properties),
        ]
    }

    /// Refuses what is no place on Earth.
    static func check(latitude: Double, longitude: Double) throws(RecordError) {
        guard latitude.magnitude <= 90, longitude.magnitude <= 180 else {
            throw RecordError(
                "latitude \(latitude), longitude \(longitude) are out of range: they are degrees, up to 90 and 180")
        }
    }
}
