//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

/// A point of interest.
public struct Place: Sendable, Equatable {
    /// The radius in which places are shown: 2.5 miles, in meters.
    public static let radiusMeters = 4_023.35

    /// The id of the place's document.
    public let id: String
    /// The body of the place's document without members that begin with an underscore: a GeoJSON feature, usually with
    /// a `name`.
    public let body: JSONObject

    /// The name; empty when the place has none.
    public var name: String { body["name"]?.stringValue ?? "" }

    /// Creates a place from a document. Members whose name starts with an underscore are left out.
    ///
    /// - Returns: `nil` when the document has no geometry.
    public init?(id: String, document: JSONObject) {
        guard document["geometry"]?.objectValue != nil else { return nil }
        self.id = id
        body = JSONObject(document.filter { !$0.key.hasPrefix("_") }.map { ($0.key, $0.value) })
    }
}

/// A place with its distance.
public struct NearbyPlace: Sendable {
    /// The place.
    public let place: Place
    /// The distance in meters.
    public let meters: Double
}
