//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Writes documents as a GPX file, version 1.1. An import of the file creates the same documents.
///
/// The data of a document is written in the elements of GPX and of Garmin's extensions, if they can contain it.
/// The remaining data is written in extensions in Godwit's own namespace, ``GPXText/ownNamespace``. What an import
/// derives from the file, such as the number of a point, is only written if it differs.
struct GPXWriter {
    static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Godwit" xmlns="\(GPXText.namespace)" \
        xmlns:gpxtpx="\(GPXText.trackPointNamespace)" xmlns:pwr="\(GPXText.powerNamespace)" \
        xmlns:godwit="\(GPXText.ownNamespace)">

        """
    static let tail = "</gpx>\n"

    /// The track or route that is open.
    private struct OpenTrack {
        let kind: GPXPoint.Kind
        let track: UInt32
        let name: String?
        /// The number of the segment in the documents; `nil` before the first segment.
        var segment: UInt32?
        var segmentCount: Int64 = 0
        var pointCount: Int64 = 0

        func contains(_ subject: GPXSubject) -> Bool {
            guard kind == subject.kind, track == subject.trackPoint?.track else { return false }
            return switch (name, subject.trackName) {
            case (nil, nil): true
            case (let name?, let other?): name.isIdenticalText(to: other)
            default: false
            }
        }
    }

    private var open: OpenTrack?
    /// The numbers of routes and of tracks so far.
    private var counts: [GPXPoint.Kind: Int64] = [:]

    // MARK: Waypoints

    static func appendWaypoint(_ subject: GPXSubject, to output: inout [UInt8]) {
        guard let position = subject.positions.first else { return }
        appendPoint("wpt", position, subject, derived: ["kind": "waypoint"], to: &output)
    }

    private static func appendPoint(
        _ element: String, _ position: GPXSubject.Position, _ subject: GPXSubject, derived: JSONObject,
        to output: inout [UInt8]
    ) {
        var content = GPXContent(subject.properties, derived: derived)
        if !subject.hasDerivedID { content.id = subject.id }
        content.mark(position)
        appendStart(of: element, position, to: &output)
        content.appendStandardElements(altitude: position.altitude, to: &output)
        content.appendExtensions(withMeasurements: true, to: &output)
        output.append(raw: "</\(element)>\n")
    }

    /// GPX permits longitudes below 180 degrees: the longitude of 180 degrees is written as -180.
    private static func appendStart(
        of element: String, _ position: GPXSubject.Position, to output: inout [UInt8]
    ) {
        let longitude = position.longitude == 180 ? -180 : position.longitude
        output.append(
            raw: "<\(element) lat=\"\(GPXText.decimal(position.latitude))\" lon=\"\(GPXText.decimal(longitude))\">")
    }

    // MARK: Routes and tracks

    /// Writes a document of a route or track. The documents must come in the order of ``GPXOrder``.
    mutating func append(_ subject: GPXSubject, to output: inout [UInt8]) {
        guard subject.trackPoint != nil else { return }
        if subject.isLine { appendLine(subject, to: &output) } else { appendTrackPoint(subject, to: &output) }
    }

    private mutating func appendTrackPoint(_ subject: GPXSubject, to output: inout [UInt8]) {
        guard let trackPoint = subject.trackPoint, let position = subject.positions.first else { return }
        let isTrack = subject.kind == .track
        if !(open?.contains(subject) ?? false) { beginTrack(subject, trackPoint, to: &output) }
        guard var track = open else { return }
        if isTrack, track.segment != trackPoint.segment {
            if track.segment != nil { output.append(raw: "</trkseg>\n") }
            output.append(raw: "<trkseg>\n")
            (track.segment, track.pointCount) = (trackPoint.segment, 0)
            track.segmentCount += 1
        }
        track.pointCount += 1
        open = track
        var derived: JSONObject = [
            "kind": .string(subject.kind.rawValue), "track": .integer(Int64(track.track)),
            "segment": .integer(isTrack ? track.segmentCount : 1), "point": .integer(track.pointCount),
        ]
        derived["track_name"] = track.name.map { .string($0) }
        GPXWriter.appendPoint(isTrack ? "trkpt" : "rtept", position, subject, derived: derived, to: &output)
    }

    private mutating func beginTrack(
        _ subject: GPXSubject, _ trackPoint: GPXSubject.TrackPoint, to output: inout [UInt8]
    ) {
        endTrack(to: &output)
        let number = beginElement(subject, to: &output)
        open = OpenTrack(kind: subject.kind, track: trackPoint.track, name: subject.trackName)
        GPXContent(
            ["track": .integer(Int64(trackPoint.track))], derived: ["track": .integer(number)]
        ).appendExtensions(withMeasurements: false, to: &output)
    }

    /// Writes the start and the name of a track or route, and returns its number in the file.
    private mutating func beginElement(_ subject: GPXSubject, to output: inout [UInt8]) -> Int64 {
        output.append(raw: subject.kind == .track ? "<trk>" : "<rte>")
        if let name = subject.trackName { output.append(raw: "<name>\(GPXText.escaped(name))</name>") }
        counts[subject.kind, default: 0] += 1
        return counts[subject.kind] ?? 1
    }

    private mutating func appendLine(_ subject: GPXSubject, to output: inout [UInt8]) {
        endTrack(to: &output)
        let isTrack = subject.kind == .track
        let number = beginElement(subject, to: &output)
        let times = ["start", "end"].map { subject.properties[$0]?.stringValue }.map { time in
            time.flatMap { GPXText.isTime($0) ? $0 : nil }
        }
        var derived: JSONObject = [
            "kind": .string(subject.kind.rawValue), "track": .integer(number), "segment": 1,
            "points": .integer(Int64(subject.positions.count)),
        ]
        derived["track_name"] = subject.trackName.map { .string($0) }
        (derived["start"], derived["end"]) = (times[0].map { .string($0) }, times[1].map { .string($0) })
        var content = GPXContent(subject.properties, derived: derived)
        if !subject.hasDerivedID { content.id = subject.id }
        content.marks.append(GPXText.Own.line)
        if subject.positions.contains(where: { $0.altitude != nil }) { content.marks.append(GPXText.Own.altitude) }
        content.appendExtensions(withMeasurements: false, to: &output)
        output.append(raw: isTrack ? "<trkseg>\n" : "\n")
        for (index, position) in subject.positions.enumerated() {
            let time = index == 0 ? times[0] : index == subject.positions.count - 1 ? times[1] : nil
            GPXWriter.appendPosition(isTrack ? "trkpt" : "rtept", position, time: time, to: &output)
        }
        output.append(raw: isTrack ? "</trkseg></trk>\n" : "</rte>\n")
    }

    private static func appendPosition(
        _ element: String, _ position: GPXSubject.Position, time: String?, to output: inout [UInt8]
    ) {
        appendStart(of: element, position, to: &output)
        if let altitude = position.altitude { output.append(raw: "<ele>\(GPXText.decimal(altitude))</ele>") }
        if let time { output.append(raw: "<time>\(time)</time>") }
        if position.longitude == 180 {
            var content = GPXContent([:], derived: [:])
            content.marks.append(GPXText.Own.antimeridian)
            content.appendExtensions(withMeasurements: false, to: &output)
        }
        output.append(raw: "</\(element)>\n")
    }

    /// Ends the open track or route.
    mutating func endTrack(to output: inout [UInt8]) {
        guard let track = open else { return }
        open = nil
        guard track.kind == .track else { return output.append(raw: "</rte>\n") }
        output.append(raw: track.segment == nil ? "</trk>\n" : "</trkseg></trk>\n")
    }
}
