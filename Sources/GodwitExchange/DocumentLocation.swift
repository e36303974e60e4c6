//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitGeo
import GodwitJSON

/// Where a document says that it is, for a file that has room for nothing but places on Earth.
enum DocumentLocation: Equatable {
    /// It has no geometry.
    case none
    /// At a point.
    case point
    /// At another geometry.
    case shape
    /// It has a geometry whose coordinates are none; the text says why.
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

    /// Whether a table has room for it.
    var isPointOrNone: Bool { self == .none || self == .point }
}
