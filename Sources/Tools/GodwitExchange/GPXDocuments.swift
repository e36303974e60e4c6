//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Reads the documents of a GPX file. Each point becomes a feature. With `joinsTracks`, each segment of a track and
/// each route becomes one line instead. Waypoints remain points. In a file of ``Exporter``, documents get their ids and
/// all their members again, and tracks and routes that were one document are one document again.
package struct GPXDocuments: RecordReader {
    /// A segment or route that becomes one line.
    private struct Segment {
        let first: GPXPoint
        var lastTime: String?
        var positions: [(longitude: Double, latitude: Double, elevation: Double?)] = []
        /// The number of points that exceed ``ExchangeLimits/segmentPointsMax``.
        var excessCount = 0

        init(_ first: GPXPoint) {
            self.first = first
            add(first)
        }

        mutating func add(_ point: GPXPoint) {
            guard positions.count < ExchangeLimits.segmentPointsMax else {
                excessCount += 1
                return
            }
            positions.append((point.longitude, point.latitude, point.elevation))
            lastTime = point.time
        }
    }

    private var reader: GPXReader
    private let joinsTracks: Bool
    private var number = 0
    private var segment: Segment?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - window: The file.
    ///   - joinsTracks: Whether each segment of a track, and each route, becomes one line. A segment with only one
    ///     point, or with more points than ``ExchangeLimits/segmentPointsMax``, is a failure.
    package init(_ window: FileWindow, joinsTracks: Bool = false) {
        reader = GPXReader(window)
        self.joinsTracks = joinsTracks
    }

    package var usedCount: Int { reader.usedCount }

    package mutating func next() throws(ExchangeError) -> FileRecord? {
        while let item = try reader.next() {
            switch item {
            case .failure(let error, let line): return record(line, .failure(error))
            case .segmentEnd: if let record = endSegment() { return record }
            case .point(let point) where point.kind != .waypoint && (joinsTracks || point.trackDetails.isLine):
                addToSegment(point)
            case .point(let point): return record(point.line, .success(GPXDocuments.document(point)))
            }
        }
        return nil
    }

    private mutating func record(_ line: Int, _ content: Result<FileDocument, RecordError>) -> FileRecord {
        number += 1
        return FileRecord(number: number, line: line, content: content)
    }

    private mutating func addToSegment(_ point: GPXPoint) {
        guard segment != nil else {
            segment = Segment(point)
            return
        }
        segment?.add(point)
    }

    private mutating func endSegment() -> FileRecord? {
        defer { segment = nil }
        guard let segment else { return nil }
        let count = segment.positions.count + segment.excessCount
        guard segment.excessCount == 0 else {
            return record(
                segment.first.line,
                .failure(
                    RecordError("the segment has \(count) points, more than \(ExchangeLimits.segmentPointsMax)")))
        }
        guard count > 1 else {
            return record(
                segment.first.line, .failure(RecordError("the segment has one point, but a line needs at least two")))
        }
        return record(segment.first.line, .success(GPXDocuments.line(segment)))
    }

    /// The assumed size of a position in a batch, in bytes.
    private static let positionBytes = 50

    private static func document(_ point: GPXPoint) -> FileDocument {
        var properties = properties(of: point)
        if point.kind != .waypoint { properties["point"] = .integer(Int64(point.number)) }
        for (name, value) in [("time", point.time), ("name", point.name), ("description", point.detail)] {
            properties[name] = value.map { .string($0) }
        }
        for (name, value) in [("elevation", point.elevation), ("hdop", point.hdop)] {
            properties[name] = value.map { .double($0) }
        }
        for (name, value) in point.details.members { properties[name] = value }
        var coordinates: [JSONValue] = [.double(point.longitude), .double(point.latitude)]
        if point.details.hasAltitude, let altitude = properties.removeValue(forKey: "elevation") {
            coordinates.append(altitude)
        }
        apply([point.trackDetails, point.details], to: &properties)
        return FileDocument(
            id: point.details.id,
            body: [
                "type": "Feature", "geometry": ["type": "Point", "coordinates": .array(coordinates)],
                "properties": .object(properties),
            ], byteCount: positionBytes + JSONValue.object(properties).jsonBytes().count)
    }

    /// Replaces and removes members as the elements in Godwit's own namespace say.
    private static func apply(_ details: [GPXDetails], to properties: inout JSONObject) {
        for details in details {
            for name in details.absentNames { properties.removeValue(forKey: name) }
            for (name, value) in details.ownMembers { properties[name] = value }
        }
    }

    private static func line(_ segment: Segment) -> FileDocument {
        let details = segment.first.trackDetails
        var properties = properties(of: segment.first)
        properties["points"] = .integer(Int64(segment.positions.count))
        properties["start"] = segment.first.time.map { .string($0) }
        properties["end"] = segment.lastTime.map { .string($0) }
        apply([details], to: &properties)
        let coordinates = segment.positions.map { longitude, latitude, elevation in
            JSONValue.array(
                [.double(longitude), .double(latitude)] + (details.hasAltitude ? [.double(elevation ?? 0)] : []))
        }
        return FileDocument(
            id: details.id,
            body: [
                "type": "Feature", "geometry": ["type": "LineString", "coordinates": .array(coordinates)],
                "properties": .object(properties),
            ], byteCount: segment.positions.count * positionBytes + JSONValue.object(properties).jsonBytes().count)
    }

    /// Returns the properties that all points of a segment have in common.
    private static func properties(of point: GPXPoint) -> JSONObject {
        var properties: JSONObject = ["kind": .string(point.kind.rawValue)]
        if point.kind != .waypoint {
            properties["track"] = .integer(Int64(point.track))
            properties["segment"] = .integer(Int64(point.segment))
            properties["track_name"] = point.trackName.map { .string($0) }
        }
        return properties
    }
}
