//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import LocationTrackerClient
import Testing

@Suite("GPX files")
struct GPXTrackTests {
    private func track(_ segments: String...) throws -> GPXTrack {
        let body = segments.map { "<trkseg>\($0)</trkseg>" }.joined()
        return try GPXTrack(parsing: Array("<g:gpx xmlns:g='x'><g:trk><name> T </name>\(body)</g:trk></g:gpx>".utf8))
    }

    private func point(_ seconds: Int?, hdop: Double? = nil) -> String {
        let time = seconds.map { "<time>2026-01-01T00:00:\($0 < 10 ? "0" : "")\($0)Z</time>" } ?? ""
        return "<trkpt lat='1' lon='2'>\(time)\(hdop.map { "<hdop>\($0)</hdop>" } ?? "")</trkpt>"
    }

    private func seconds(_ track: GPXTrack) -> [Int64] {
        track.fixes.map { $0.timeMilliseconds / 1_000 - 1_767_225_600 }
    }

    @Test("The accuracy is five meters, multiplied by the dilution if the file has it")
    func accuracy() throws {
        let track = try track(point(1) + point(2, hdop: 3))
        #expect(track.title == "T")
        #expect(track.fixes.map(\.accuracyMeters) == [5, 15])
    }

    @Test("A segment without times ends at the start of the next one, or begins at the end of the previous one")
    func missingTimes() throws {
        #expect(seconds(try track(point(nil) + point(nil), point(10) + point(11))) == [8, 9, 10, 11])
        #expect(seconds(try track(point(10), point(nil) + point(nil))) == [10, 11, 12])
    }

    @Test("Times that decrease, are incomplete or are a receiver's default are ignored")
    func uselessTimes() throws {
        #expect(seconds(try track(point(10), point(9) + point(3))) == [10, 11, 12])
        #expect(seconds(try track(point(10), point(20) + point(nil))) == [10, 11, 12])
        let old = "<trkpt lat='1' lon='2'><time>1901-12-13T20:45:52Z</time></trkpt>"
        #expect(seconds(try track(old, point(5))) == [4, 5])
    }

    @Test("Entities, CDATA, comments, processing instructions and both kinds of quotes are read as in XML")
    func markup() throws {
        let track = try GPXTrack(
            parsing: Array(
                """
                \u{FEFF}<?xml version="1.0"?><!DOCTYPE gpx><!-- <gpx> --><gpx a="it's" ><trk>
                <name>A &amp; B &#x2014; &#233;<![CDATA[ <C> ]]><!-- no -->\n D</name ><trkseg><trkpt
                lat="1" lon = '&#50;'/></trkseg></trk></gpx><!-- end -->

                """.utf8))
        #expect(track.title == "A & B \u{2014} \u{E9} <C> \n D")
        #expect(track.fixes.map(\.longitude) == [2])
    }

    @Test("Errors name their line")
    func line() {
        let error = #expect(throws: GPXError.self) { try GPXTrack(parsing: Array("<gpx>\n<trk>\n</gpx>".utf8)) }
        #expect(error?.line == 3)
    }

    @Test(
        "A file that is not GPX is refused",
        arguments: [
            "", "<gpx", "{}", "<kml></kml>", "<gpx><trkpt lat='x' lon='1'/></gpx>", "<gpx>", "<gpx></trk></gpx>",
            "<gpx/><gpx/>", "<gpx/>x", "<gpx>&nbsp;</gpx>", "<gpx>&#0;</gpx>", "<gpx a='1' a='2'/>",
            "<gpx a='1'b='2'/>",
            "<gpx a=1/>", "<gpx a='<'/>", "<gpx><!-- </gpx>", "<gpx><![CDATA[ </gpx>", "<1gpx/>",
            "<!DOCTYPE gpx [<!ENTITY a 'b'>]><gpx/>",
        ])
    func invalid(_ text: String) {
        #expect(throws: GPXError.self) { try GPXTrack(parsing: Array(text.utf8)) }
    }
}
