//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces

/// The kind of a document's geometry. An export uses it to decide whether its format can contain the document.
enum DocumentLocation: Equatable {
    /// The document has no member that is a geometry of GeoJSON.
    case none
    /// A point.
    case point
    /// Another valid geometry.
    case shape
    /// An invalid geometry, with the reason.
    case bad(String)

    init(of body: JSONObject) {
        guard let geometry = body["geometry"], Feature.geometryTypes.contains(geometry["type"]?.stringValue ?? "")
        else {
            self = .none
            return
        }
        do {
            self = try Geometry(json: geometry).kind == .point ? .point : .shape
        } catch {
            self = .bad(error.description)
        }
    }

    /// Whether a table can contain the document.
    var isPointOrNone: Bool { self == .none || self == .point }
}
