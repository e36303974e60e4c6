//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A track read from a GPX file, version 1.0 or 1.1.
///
/// The file is in UTF-8. GPX has no accuracy in metres: it is `hdop` times 5 m where that is given, 5 m otherwise. A segment without usable
/// times gets one reading a second, up to the start of the next segment that has them, or from the end of the last.
public struct GPXTrack: Sendable {
    /// The name in the file; empty when there is none.
    public let title: String
    /// The readings of all segments in order.
    public let fixes: [Fix]

    /// Reads a file.
    ///
    /// - Throws: ``GPXError`` when it is no GPX, naming the line.
    public init(parsing bytes: [UInt8]) throws(GPXError) {
        var markup = MarkupReader(bytes)
        var reader = GPXReader()
        while true {
            do {
                guard let event = try markup.next() else { break }
                try reader.take(event)
            } catch {
                throw GPXError(line: markup.line)
            }
        }
        title = reader.title
        fixes = GPXTrack.timed(reader.segments)
    }

    /// A point as it stands in the file.
    struct Point {
        var latitude: Double
        var longitude: Double
        var time: Date?
        var hdop: Double?
    }

    private static let metersPerDilution = 5.0

    /// Gives every point a time.
    private static func timed(_ segments: [[Point]]) -> [Fix] {
        var fixes: [Fix] = []
        for (place, segment) in segments.enumerated() {
            let times =
                usableTimes(segment)
                ?? madeTimes(
                    segment.count, after: fixes.last?.timeMilliseconds,
                    before: segments[(place + 1)...].lazy.compactMap { usableTimes($0)?.first }.first)
            for (point, time) in zip(segment, times) {
                fixes.append(
                    Fix(
                        latitude: point.latitude, longitude: point.longitude, timeMilliseconds: time,
                        accuracyMeters: (point.hdop ?? 1) * metersPerDilution))
            }
        }
        return fixes
    }

    /// The start of GPS time, 6 January 1980: an earlier time is a receiver's default.
    private static let earliest = Date(timeIntervalSince1970: 315_964_800)

    /// The times of a segment in which every point has one and none goes backwards.
    private static func usableTimes(_ segment: [Point]) -> [Int64]? {
        let times = segment.compactMap(\.time)
        guard !times.isEmpty, times.count == segment.count, times[0] >= earliest,
            zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        return times.map { Int64(($0.timeIntervalSince1970 * 1_000).rounded()) }
    }

    private static func madeTimes(_ count: Int, after last: Int64?, before next: Int64?) -> [Int64] {
        let start = next.map { $0 - Int64(count) * 1_000 } ?? (last.map { $0 + 1_000 } ?? 0)
        return (0..<count).map { start + Int64($0) * 1_000 }
    }
}

/// A file that is no GPX.
public struct GPXError: Error, Sendable, CustomStringConvertible {
    /// The line at which reading ended.
    public let line: Int

    /// What is wrong, and where.
    public var description: String { "the file is no GPX track: reading ended at line \(line)" }
}

/// Gathers points from a GPX file, whatever its namespace: local names are matched.
private struct GPXReader {
    /// An element that GPX does not have, or not so.
    struct Stranger: Error {}

    private(set) var title = ""
    private(set) var segments: [[GPXTrack.Point]] = []
    private var point: GPXTrack.Point?
    private var text = ""
    private var path: [String] = []

    mutating func take(_ event: MarkupEvent) throws {
        switch event {
        case .start(let name, let attributes): try begin(GPXReader.local(name), attributes)
        case .text(let piece): text += piece
        case .end(let name): end(GPXReader.local(name))
        }
    }

    private mutating func begin(_ name: String, _ attributes: [String: String]) throws {
        guard !path.isEmpty || name == "gpx" else { throw Stranger() }
        path.append(name)
        text = ""
        switch name {
        case "trkseg": segments.append([])
        case "trkpt":
            guard let latitude = attributes["lat"].flatMap(Double.init),
                let longitude = attributes["lon"].flatMap(Double.init)
            else { throw Stranger() }
            point = GPXTrack.Point(latitude: latitude, longitude: longitude)
        default: break
        }
    }

    private mutating func end(_ name: String) {
        let value = GPXReader.trimmed(text)
        path.removeLast()
        switch (name, path.last) {
        case ("time", "trkpt"): point?.time = try? Date(value, strategy: .iso8601)
        case ("hdop", "trkpt"): point?.hdop = Double(value)
        case ("name", "trk"): title = value
        case ("trkpt", _):
            if let point, !segments.isEmpty { segments[segments.count - 1].append(point) }
            point = nil
        default: break
        }
        text = ""
    }

    private static func local(_ name: String) -> String {
        name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }

    private static func trimmed(_ text: String) -> String {
        let from = text.drop { $0.isWhitespace }
        return String(from[..<(from.lastIndex { !$0.isWhitespace }.map { from.index(after: $0) } ?? from.startIndex)])
    }
}
