//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Conversions between documents and GeoJSON features.
enum Feature {
    /// The types of GeoJSON geometries.
    static let geometryTypes: Set<String> = [
        "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection",
    ]

    /// Parses a feature and returns its document. If the text is a geometry instead of a feature, the document is a
    /// feature without properties. The document's body does not contain the members `_id`, `_rev` and `id`.
    ///
    /// - Parameter idProperty: The name of the property that contains the id. If no property has this name, the member
    ///   of the feature with this name is used. If the name is `nil`, the id is the member `_id` or `id` of the
    ///   feature.
    static func document(_ text: [UInt8], idProperty: String?) throws(RecordError) -> FileDocument {
        var body = try object(text)
        let type = body["type"]?.stringValue ?? ""
        if Self.geometryTypes.contains(type) {
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

    /// Parses a JSON object.
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

    /// Returns a feature with a point.
    static func point(latitude: Double, longitude: Double, properties: JSONObject) -> JSONObject {
        [
            "type": "Feature",
            "geometry": ["type": "Point", "coordinates": [.double(longitude), .double(latitude)]],
            "properties": .object(properties),
        ]
    }

    /// Throws an error when a coordinate is outside ±90 degrees of latitude or ±180 degrees of longitude.
    static func check(latitude: Double, longitude: Double) throws(RecordError) {
        guard latitude.magnitude <= 90, longitude.magnitude <= 180 else {
            throw RecordError(
                "latitude \(latitude), longitude \(longitude) are out of range: they are degrees, up to 90 and 180")
        }
    }
}
