//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

/// A point of interest.
public struct Place: Sendable, Equatable {
    /// How far away places are shown: 2.5 miles, in metres.
    public static let radiusMeters = 4_023.35

    /// The id of its document.
    public let id: String
    /// The body of its document, a Feature of GeoJSON with a `name`.
    public let body: JSONObject

    /// What it is called; empty when it has no name.
    public var name: String { body["name"]?.stringValue ?? "" }

    /// Creates a place of a document; members that belong to the store are left out.
    ///
    /// - Returns: `nil` without a geometry.
    public init?(id: String, document: JSONObject) {
        guard document["geometry"]?.objectValue != nil else { return nil }
        self.id = id
        body = JSONObject(document.filter { !$0.key.hasPrefix("_") }.map { ($0.key, $0.value) })
    }
}

/// A place and how far it is.
public struct NearbyPlace: Sendable {
    /// The place.
    public let place: Place
    /// How far it is, in metres.
    public let meters: Double
}
