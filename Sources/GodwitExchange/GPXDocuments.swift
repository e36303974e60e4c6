//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Reads the documents of a GPX file. Each point becomes a feature. With `joinsTracks`, each segment of a track and
/// each route becomes one line instead. Waypoints remain points.
package struct GPXDocuments: RecordReader {
    private var reader: GPXReader
    private let joinsTracks: Bool
    private var number = 0
    private var segment: [GPXPoint] = []
    /// The number of points of the current segment that exceed the limit.
    private var excessCount = 0

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
            case .point(let point) where joinsTracks && point.kind != .waypoint:
                if segment.count < ExchangeLimits.segmentPointsMax { segment.append(point) } else { excessCount += 1 }
            case .point(let point): return record(point.line, .success(GPXDocuments.document(point)))
            }
        }
        return nil
    }

    private mutating func record(_ line: Int, _ content: Result<FileDocument, RecordError>) -> FileRecord {
        number += 1
        return FileRecord(number: number, line: line, content: content)
    }

    private mutating func endSegment() -> FileRecord? {
        defer { (segment, excessCount) = ([], 0) }
        guard let first = segment.first else { return nil }
        if excessCount > 0 {
            let count = segment.count + excessCount
            return record(
                first.line,
                .failure(
                    RecordError("the segment has \(count) points, more than \(ExchangeLimits.segmentPointsMax)")))
        }
        guard segment.count > 1 else {
            return record(first.line, .failure(RecordError("the segment has one point, but a line needs at least two")))
        }
        return record(first.line, .success(GPXDocuments.line(segment)))
    }

    /// The assumed size of a point in a batch, in bytes.
    private static let pointBytes = 200

    private static func document(_ point: GPXPoint) -> FileDocument {
        var properties = properties(of: point)
        if point.kind != .waypoint { properties["point"] = .integer(Int64(point.number)) }
        for (name, value) in [("time", point.time), ("name", point.name), ("description", point.detail)] {
            properties[name] = value.map { .string($0) }
        }
        for (name, value) in [("elevation", point.elevation), ("hdop", point.hdop)] {
            properties[name] = value.map { .double($0) }
        }
        return FileDocument(
            body: Feature.point(latitude: point.latitude, longitude: point.longitude, properties: properties),
            byteCount: pointBytes)
    }

    private static func line(_ points: [GPXPoint]) -> FileDocument {
        var properties = properties(of: points[0])
        properties["points"] = .integer(Int64(points.count))
        properties["start"] = points.first?.time.map { .string($0) }
        properties["end"] = points.last?.time.map { .string($0) }
        let coordinates = points.map { JSONValue.array([.double($0.longitude), .double($0.latitude)]) }
        return FileDocument(
            body: [
                "type": "Feature", "geometry": ["type": "LineString", "coordinates": .array(coordinates)],
                "properties": .object(properties),
            ], byteCount: points.count * pointBytes)
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
