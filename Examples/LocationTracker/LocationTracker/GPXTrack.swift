//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationXML)
    import Foundation
    import FoundationXML
#else
    import Foundation
#endif

/// A track read from a GPX file, version 1.0 or 1.1.
///
/// GPX has no accuracy in metres: it is `hdop` times 5 m where that is given, 5 m otherwise. A segment without usable
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
        let reader = GPXReader()
        let parser = XMLParser(data: Data(bytes))
        parser.delegate = reader
        guard parser.parse(), reader.isWhole else {
            throw GPXError(line: parser.lineNumber)
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
private final class GPXReader: NSObject, XMLParserDelegate {
    /// Whether a `gpx` element was read to its end: the parser takes a text that ends within one for a whole file.
    private(set) var isWhole = false
    private(set) var title = ""
    private(set) var segments: [[GPXTrack.Point]] = []
    private var point: GPXTrack.Point?
    private var text = ""
    private var path: [String] = []

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        let local = GPXReader.local(name)
        path.append(local)
        text = ""
        switch local {
        case "trkseg": segments.append([])
        case "trkpt":
            guard let latitude = attributes["lat"].flatMap(Double.init),
                let longitude = attributes["lon"].flatMap(Double.init)
            else { return parser.abortParsing() }
            point = GPXTrack.Point(latitude: latitude, longitude: longitude)
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
        path.removeLast()
        switch (GPXReader.local(name), path.last) {
        case ("gpx", nil): isWhole = true
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
}
