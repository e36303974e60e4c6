//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads the points of a GPX file, version 1.0 or 1.1, one by one.
///
/// ```swift
/// var reader = try GPXReader(parsing: bytes)
/// while let item = try reader.next() {
///     if case .point(let point) = item { print(point.latitude, point.longitude, point.time ?? "") }
/// }
/// ```
///
/// The file must be in UTF-8. Elements are identified by their local names; their namespaces are ignored. Unknown
/// elements, such as those of extensions, are ignored. A document type declaration with an internal subset is refused.
public struct GPXReader {
    /// An item of a file.
    public enum Item: Equatable, Sendable {
        /// A point.
        case point(GPXPoint)
        /// A point whose coordinates are missing or invalid. The value contains the line of the point. Later points can
        /// still be read.
        case failure(RecordError, line: Int)
        /// The end of a track's segment, or of a route.
        case segmentEnd
    }

    private var markup: MarkupReader
    private var openElements: [String] = []
    private var text = ""
    private var point: Result<GPXPoint, RecordError>?
    private var pointLine = 0
    private var trackName: String?
    /// The number of tracks, of routes and of waypoints read so far, keyed by the kind of their points.
    private var trackCounts: [GPXPoint.Kind: Int] = [:]
    /// The number of segments of the current track that were read so far, and the number of points of the current
    /// segment.
    private var segmentCount = 0
    private var pointCount = 0
    /// The name of the last track that has a name element; empty when no such element was read.
    public private(set) var title = ""

    /// Creates a reader of a complete file in memory.
    ///
    /// - Parameter bytes: The bytes of the file.
    /// - Throws: This initializer currently never throws an error. If the file is invalid, ``next()`` throws the error.
    public init(parsing bytes: [UInt8]) throws(ExchangeError) {
        var pieces = [bytes]
        self.init(try FileWindow { pieces.popLast() ?? [] })
    }

    /// Creates a reader of the file in a window.
    package init(_ window: FileWindow) { markup = MarkupReader(window) }

    /// The number of bytes of the file that are consumed.
    package var usedCount: Int { markup.window.usedCount }

    /// Returns the next item; `nil` at the end.
    ///
    /// - Throws: ``ExchangeError`` with the line when the rest of the file is not valid GPX.
    public mutating func next() throws(ExchangeError) -> Item? {
        while let event = try markup.next() {
            switch event {
            case .start(let name, let attributes): try startElement(GPXReader.localName(name), attributes)
            case .text(let piece): text += piece
            case .end(let name): if let item = endElement(GPXReader.localName(name)) { return item }
            }
        }
        return nil
    }

    private static let kinds: [String: GPXPoint.Kind] = ["trkpt": .track, "rtept": .route, "wpt": .waypoint]

    private mutating func startElement(_ name: String, _ attributes: [String: String]) throws(ExchangeError) {
        guard !openElements.isEmpty || name == "gpx" else {
            throw ExchangeError(line: markup.line, "this is not GPX: its root is <\(name.prefix(40))>")
        }
        openElements.append(name)
        text = ""
        switch name {
        case "trk": beginTrack(.track)
        case "rte": beginTrack(.route)
        case "trkseg": (segmentCount, pointCount) = (segmentCount + 1, 0)
        case "trkpt", "rtept", "wpt":
            if let kind = GPXReader.kinds[name] { beginPoint(kind, attributes) }
        default: break
        }
    }

    private mutating func beginTrack(_ kind: GPXPoint.Kind) {
        trackCounts[kind, default: 0] += 1
        trackName = nil
        (segmentCount, pointCount) = (kind == .route ? 1 : 0, 0)
    }

    private mutating func beginPoint(_ kind: GPXPoint.Kind, _ attributes: [String: String]) {
        pointLine = markup.line
        if kind == .waypoint { trackCounts[kind, default: 0] += 1 } else { pointCount += 1 }
        guard let latitude = attributes["lat"].flatMap(Text.number),
            let longitude = attributes["lon"].flatMap(Text.number)
        else {
            point = .failure(RecordError("the point has no latitude and longitude in degrees"))
            return
        }
        do throws(RecordError) {
            try Feature.check(latitude: latitude, longitude: longitude)
        } catch {
            point = .failure(error)
            return
        }
        let isWaypoint = kind == .waypoint
        point = .success(
            GPXPoint(
                kind: kind, latitude: latitude, longitude: longitude, trackName: isWaypoint ? nil : trackName,
                track: trackCounts[kind] ?? 1, segment: isWaypoint ? 1 : max(segmentCount, 1),
                number: isWaypoint ? 1 : pointCount,
                line: pointLine))
    }

    private mutating func endElement(_ name: String) -> Item? {
        let value = Text.trimmed(text)
        text = ""
        openElements.removeLast()
        switch (name, openElements.last) {
        case ("name", "trk"): (trackName, title) = (value, value)
        case ("name", "rte"): trackName = value
        case ("trkseg", _), ("rte", _): return .segmentEnd
        case (_, let parent?) where GPXReader.kinds[parent] != nil: setProperty(name, value)
        case _ where GPXReader.kinds[name] != nil: return endPoint()
        default: break
        }
        return nil
    }

    private mutating func setProperty(_ name: String, _ value: String) {
        guard case .success(var point) = point, !value.isEmpty else { return }
        switch name {
        case "time": point.time = value
        case "ele": point.elevation = Text.number(value)
        case "hdop": point.hdop = Text.number(value)
        case "name": point.name = value
        case "desc": point.detail = value
        default: return
        }
        self.point = .success(point)
    }

    private mutating func endPoint() -> Item? {
        defer { point = nil }
        switch point {
        case .success(let point): return .point(point)
        case .failure(let error): return .failure(error, line: pointLine)
        case nil: return nil
        }
    }

    private static func localName(_ name: String) -> String {
        name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }
}
