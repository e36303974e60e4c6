//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// Reads the points of a GPX file, version 1.0 or 1.1, one by one.
///
/// ```swift
/// var reader = try GPXReader(parsing: bytes)
/// while let item = try reader.next() {
///     if case .point(let point) = item { print(point.latitude, point.longitude, point.time ?? "") }
/// }
/// ```
///
/// The file must be in UTF-8. Elements are identified by their local names; their namespaces are ignored. Elements that
/// ``GPXPoint`` has no property for, such as those of extensions, are kept only for ``GPXDocuments``. A document type
/// declaration with an internal subset is refused.
public struct GPXReader {
    /// An item of a file.
    public enum Item: Equatable, Sendable {
        /// A point.
        case point(GPXPoint)
        /// A point whose coordinates are missing or invalid, or whose extensions are too large. The value contains the
        /// line of the point. Later points can still be read.
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
    /// Collects the elements within the current point, or within the extensions of the current track or route; `nil`
    /// outside of them.
    private var collector: GPXCollector?
    private var trackDetails: Result<GPXDetails, RecordError> = .success(GPXDetails())
    /// The last prefix that the file declared for Godwit's own namespace.
    private var ownPrefix: String?
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
            case .start(let name, let attributes): try startElement(name, attributes)
            case .text(let piece): try addText(piece)
            case .end(let name): if let item = endElement(GPXReader.localName(name)) { return item }
            }
        }
        return nil
    }

    private static let kinds: [String: GPXPoint.Kind] = ["trkpt": .track, "rtept": .route, "wpt": .waypoint]

    private mutating func addText(_ piece: String) throws(ExchangeError) {
        guard text.utf8.count + piece.utf8.count <= ExchangeLimits.recordBytesMax else {
            throw ExchangeError(
                line: markup.line,
                "the text of an element is longer than \(ExchangeLimits.recordBytesMax >> 20) MB. Shorten it.")
        }
        text += piece
    }

    private mutating func startElement(
        _ qualifiedName: String, _ attributes: [ExactText: String]
    ) throws(ExchangeError) {
        let name = GPXReader.localName(qualifiedName)
        guard !openElements.isEmpty || name == "gpx" else {
            throw ExchangeError(line: markup.line, "this is not GPX: its root is <\(name.prefix(40))>")
        }
        openElements.append(name)
        text = ""
        let isOwn = isOwn(qualifiedName, attributes)
        guard collector == nil else {
            collector?.start(name, isOwn: isOwn, attributes)
            return
        }
        switch name {
        case "trk": beginTrack(.track)
        case "rte": beginTrack(.route)
        case "trkseg": (segmentCount, pointCount) = (segmentCount + 1, 0)
        case "trkpt", "rtept", "wpt":
            if let kind = GPXReader.kinds[name] { beginPoint(kind, attributes) }
        case "extensions":
            guard ["trk", "rte"].contains(openElements.dropLast().last) else { return }
            collector = GPXCollector()
            collector?.start(name, isOwn: false, [:])
        default: break
        }
    }

    private mutating func beginTrack(_ kind: GPXPoint.Kind) {
        trackCounts[kind, default: 0] += 1
        (trackName, trackDetails) = (nil, .success(GPXDetails()))
        (segmentCount, pointCount) = (kind == .route ? 1 : 0, 0)
    }

    /// Whether an element is in Godwit's own namespace. The namespace is declared with a prefix, or on the element or
    /// its parent.
    private mutating func isOwn(_ name: String, _ attributes: [ExactText: String]) -> Bool {
        for (key, value) in attributes where value == GPXText.ownNamespace && key.text.begins(with: "xmlns:") {
            ownPrefix = String(Substring(key.utf8.dropFirst("xmlns:".utf8.count)))
        }
        guard name.includes(":") else {
            return attributes[ExactText("xmlns")].map { $0 == GPXText.ownNamespace } ?? collector?.isInOwnElement
                ?? false
        }
        return ownPrefix.map { name.isIdenticalText(to: "\($0):\(GPXReader.localName(name))") } ?? false
    }

    private mutating func beginPoint(_ kind: GPXPoint.Kind, _ attributes: [ExactText: String]) {
        pointLine = markup.line
        collector = GPXCollector()
        if kind == .waypoint { trackCounts[kind, default: 0] += 1 } else { pointCount += 1 }
        guard let latitude = attributes[ExactText("lat")].flatMap(Text.number),
            let longitude = attributes[ExactText("lon")].flatMap(Text.number)
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
        let details: GPXDetails
        do throws(RecordError) {
            details = isWaypoint ? GPXDetails() : try trackDetails.get()
        } catch {
            point = .failure(error)
            return
        }
        point = .success(
            GPXPoint(
                kind: kind, latitude: latitude, longitude: longitude, trackDetails: details,
                trackName: isWaypoint ? nil : trackName,
                track: trackCounts[kind] ?? 1, segment: isWaypoint ? 1 : max(segmentCount, 1),
                number: isWaypoint ? 1 : pointCount,
                line: pointLine))
    }

    private mutating func endElement(_ name: String) -> Item? {
        let value = Text.trimmed(text)
        text = ""
        openElements.removeLast()
        if let depth = collector?.depth, depth > 0 {
            collector?.end(value)
            if depth == 1, point == nil { trackDetails = takeDetails() }
            return nil
        }
        switch (name, openElements.last) {
        case ("name", "trk"): (trackName, title) = (value, value)
        case ("name", "rte"): trackName = value
        case ("trkseg", _), ("rte", _): return .segmentEnd
        case _ where GPXReader.kinds[name] != nil: return endPoint()
        default: break
        }
        return nil
    }

    private mutating func takeDetails() -> Result<GPXDetails, RecordError> {
        defer { collector = nil }
        guard var collector else { return .success(GPXDetails()) }
        let details = collector.finish()
        return collector.failure.map { .failure($0) } ?? .success(details)
    }

    private mutating func endPoint() -> Item? {
        defer { point = nil }
        let details = takeDetails()
        do throws(RecordError) {
            guard var point = try point?.get() else { return nil }
            point.set(try details.get())
            return .point(point)
        } catch {
            return .failure(error, line: pointLine)
        }
    }

    /// Returns a name without its prefix.
    static func localName(_ name: String) -> String {
        name.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(name[name.utf8.index(after: $0)...]) } ?? name
    }
}

extension GPXPoint {
    /// Sets the properties that the point has for its elements. The other elements remain in `details`.
    fileprivate mutating func set(_ details: GPXDetails) {
        self.details = details
        time = self.details.members.removeValue(forKey: "time")?.stringValue
        name = self.details.members.removeValue(forKey: "name")?.stringValue
        detail = self.details.members.removeValue(forKey: "description")?.stringValue
        elevation = self.details.members.removeValue(forKey: "elevation")?.doubleValue
        hdop = self.details.members.removeValue(forKey: "hdop")?.doubleValue
        if details.isAtAntimeridian { longitude = 180 }
    }
}
