//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// A document that a GPX file can contain: a point or a line.
struct GPXSubject {
    /// Where a document is among the points of tracks and routes.
    struct TrackPoint: Equatable {
        var track: UInt32
        var segment: UInt32
        var point: UInt32
    }

    /// A position of the geometry.
    struct Position {
        let longitude: Double
        let latitude: Double
        let altitude: Double?
    }

    let id: String
    /// The kind of element that contains the document. It is `waypoint` for a point that is in no track.
    let kind: GPXPoint.Kind
    let isLine: Bool
    let positions: [Position]
    let properties: JSONObject
    /// `nil` for a waypoint. A line may lack numbers: then it follows all others.
    let trackPoint: TrackPoint?

    /// Creates the form of a document; `nil` if its valid geometry is neither a point nor a line.
    init?(_ document: Document, _ location: DocumentLocation) {
        let geometry = document.body["geometry"]
        isLine = location == .shape && geometry?["type"] == "LineString"
        guard location == .point || isLine, let coordinates = geometry?["coordinates"] else { return nil }
        id = document.id ?? ""
        let properties = Feature.properties(of: document.body)
        self.properties = properties
        positions = (isLine ? coordinates.arrayValue ?? [] : [coordinates]).compactMap { position in
            guard let longitude = position[0]?.doubleValue, let latitude = position[1]?.doubleValue else { return nil }
            return Position(longitude: longitude, latitude: latitude, altitude: position[2]?.doubleValue)
        }
        let kind = properties["kind"]?.stringValue.flatMap(GPXPoint.Kind.init(rawValue:))
        let numbers = ["track", "segment", "point"].map { GPXSubject.number(properties[$0]) }
        if isLine {
            self.kind = kind == .route ? .route : .track
            trackPoint = TrackPoint(track: numbers[0] ?? .max, segment: numbers[1] ?? .max, point: 0)
        } else if let kind, kind != .waypoint, let track = numbers[0], let segment = numbers[1], let point = numbers[2]
        {
            self.kind = kind
            trackPoint = TrackPoint(track: track, segment: segment, point: point)
        } else {
            self.kind = .waypoint
            trackPoint = nil
        }
    }

    private static func number(_ value: JSONValue?) -> UInt32? {
        value?.intValue.flatMap { UInt32(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// The name of the track or route; `nil` if the document has none that is the same after it was written and read.
    var trackName: String? {
        let name = properties["track_name"]?.stringValue ?? (isLine ? properties["name"]?.stringValue : nil)
        return name.flatMap { GPXText.isKept($0) ? $0 : nil }
    }

    /// Whether an import of the file derives the same id, so that the file need not contain it.
    var hasDerivedID: Bool {
        let coordinates = positions.map { position in
            JSONValue.array(
                ([position.longitude, position.latitude] + [position.altitude].compactMap(\.self)).map { .double($0) })
        }
        let body: JSONObject = [
            "type": "Feature",
            "geometry": isLine
                ? ["type": "LineString", "coordinates": .array(coordinates)]
                : ["type": "Point", "coordinates": coordinates.first ?? []],
            "properties": .object(properties),
        ]
        return (try? FileDocument(body: body, byteCount: 0).derivedID()).map { $0.isIdenticalText(to: id) } ?? false
    }
}
