//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

extension Feature {
    /// Returns the feature of a document that has a geometry.
    ///
    /// If the document is itself a feature, its members are kept, but the value of `id` is replaced by the document's
    /// id. For any other document, all members except the geometry become properties.
    static func object(of document: Document) -> JSONObject {
        var feature: JSONObject = [
            "type": "Feature", "id": .string(document.id ?? ""), "geometry": document.body["geometry"] ?? .null,
        ]
        guard document.body["type"] == "Feature" else {
            feature["properties"] = .object(properties(of: document.body))
            return feature
        }
        feature["properties"] = document.body["properties"] ?? .null
        for (name, value) in document.body where feature[name] == nil { feature[name] = value }
        return feature
    }

    /// Returns the properties of a document. If the document is not a feature, they are all its members except the
    /// geometry. If the document is a feature, they are the members of its `properties`, and all other members of the
    /// feature except `type` and the geometry. If a name occurs in both places, the value in `properties` is used.
    static func properties(of body: JSONObject) -> JSONObject {
        var properties: JSONObject = [:]
        let isFeature = body["type"] == "Feature"
        for (name, value) in body where name != "geometry" && !(isFeature && (name == "type" || name == "properties")) {
            properties[name] = value
        }
        if isFeature { for (name, value) in body["properties"]?.objectValue ?? [:] { properties[name] = value } }
        return properties
    }
}
