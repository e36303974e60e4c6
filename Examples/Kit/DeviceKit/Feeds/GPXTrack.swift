//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitExchange

/// A track read from a GPX file, version 1.0 or 1.1.
///
/// The file must be in UTF-8. GPX files contain no accuracy in meters. If a point has an `hdop`, its accuracy is `hdop`
/// times 5 m. Otherwise, its accuracy is 5 m. If a segment has no usable times, its points get times with intervals of
/// one second. These times end before the next segment that has usable times. If no such segment follows, they begin
/// after the previous segment. If there is no previous segment either, they begin in 1970.
public struct GPXTrack: Sendable {
    /// The name in the file; empty when it has none.
    public let title: String
    /// The fixes of all segments in order.
    public let fixes: [Fix]

    /// Reads a file.
    ///
    /// - Throws: ``GPXError`` with the line when the file is not GPX or a point has no valid coordinates.
    public init(parsing bytes: [UInt8]) throws(GPXError) {
        do throws(ExchangeError) {
            var reader = try GPXReader(parsing: bytes)
            fixes = GPXTrack.timedFixes(try GPXTrack.segments(&reader))
            title = reader.title
        } catch {
            throw GPXError(line: error.line ?? 1)
        }
    }

    /// Returns the points of each segment.
    private static func segments(_ reader: inout GPXReader) throws(ExchangeError) -> [[Point]] {
        var segments: [[Point]] = [[]]
        while let item = try reader.next() {
            switch item {
            case .segmentEnd: segments.append([])
            case .failure(let error, let line): throw ExchangeError(line: line, error.reason)
            case .point(let point) where point.kind == .track:
                segments[segments.count - 1].append(Point(point))
            case .point: break
            }
        }
        return segments
    }

    /// A point of a track.
    private struct Point {
        let latitude: Double
        let longitude: Double
        /// The time in milliseconds since 1970.
        let time: Int64?
        let hdop: Double?

        init(_ point: GPXPoint) {
            (latitude, longitude, hdop) = (point.latitude, point.longitude, point.hdop)
            time = point.time.flatMap(Timestamp.milliseconds)
        }
    }

    private static let metersPerDilution = 5.0

    /// Returns the points as fixes, each with a time.
    private static func timedFixes(_ segments: [[Point]]) -> [Fix] {
        var fixes: [Fix] = []
        for (index, segment) in segments.enumerated() {
            let times =
                usableTimes(segment)
                ?? assignedTimes(
                    segment.count, after: fixes.last?.timeMilliseconds,
                    before: segments[(index + 1)...].lazy.compactMap { usableTimes($0)?.first }.first)
            for (point, time) in zip(segment, times) {
                fixes.append(
                    Fix(
                        latitude: point.latitude, longitude: point.longitude, timeMilliseconds: time,
                        accuracyMeters: (point.hdop ?? 1) * metersPerDilution))
            }
        }
        return fixes
    }

    /// The start of GPS time, 6 January 1980. An earlier time cannot be right. Some receivers report such a time when
    /// they do not know the time.
    private static let earliestMilliseconds: Int64 = 315_964_800_000

    /// Returns the times of a segment if every point has a time, the times do not decrease, and none is before the
    /// start of GPS time; otherwise `nil`.
    private static func usableTimes(_ segment: [Point]) -> [Int64]? {
        let times = segment.compactMap(\.time)
        guard !times.isEmpty, times.count == segment.count, times[0] >= earliestMilliseconds,
            zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        return times
    }

    /// Returns times with intervals of one second. They end before the time `following`. If this is `nil`, they begin
    /// after the time `previous`. If both are `nil`, they begin in 1970.
    private static func assignedTimes(_ count: Int, after previous: Int64?, before following: Int64?) -> [Int64] {
        let start = following.map { $0 - Int64(count) * 1_000 } ?? (previous.map { $0 + 1_000 } ?? 0)
        return (0..<count).map { start + Int64($0) * 1_000 }
    }
}

/// An error in a GPX file.
public struct GPXError: Error, Sendable, CustomStringConvertible {
    /// The line at which reading ended; 1 if the line is not known.
    public let line: Int

    /// A description of the error, with the line.
    public var description: String { "the file is not a GPX track: error in line \(line)" }
}
