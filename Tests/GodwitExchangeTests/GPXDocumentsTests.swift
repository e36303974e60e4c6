//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitExchange
import Testing

@Suite("GPX files as documents")
struct GPXDocumentsTests {
    private let file = """
        <?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
        <wpt lat="1" lon="2"><ele>3.5</ele><name>Hut &amp; well</name><desc>warm</desc></wpt>
        <rte><name>R</name><rtept lat="4" lon="5"/><rtept lat="6" lon="7"/></rte>
        <trk><name>T</name><trkseg>
        <trkpt lat="8" lon="9"><time>2026-01-01T00:00:00Z</time><hdop>2</hdop></trkpt>
        <trkpt lat="x" lon="9"/><trkpt lat="91" lon="9"/>
        <trkpt lat="10" lon="11"><time>2026-01-01T00:00:05Z</time></trkpt></trkseg>
        <trkseg><trkpt lat="12" lon="13"/></trkseg></trk></gpx>
        """

    @Test("Each point is a feature with its position in the file")
    func points() throws {
        let records = try Reading.everywhere(file) { GPXDocuments($0) }.records
        #expect(records.count == 8)
        #expect(
            records[0]
                == #"- {"type":"Feature","geometry":{"type":"Point","coordinates":[2.0,1.0]},"properties":{"kind":"waypoint","name":"Hut & well","description":"warm","elevation":3.5}}"#
        )
        #expect(records[2].contains(#""kind":"route","track":1,"segment":1,"track_name":"R","point":2"#))
        #expect(
            records[3].contains(
                #""kind":"track","track":1,"segment":1,"track_name":"T","point":1,"time":"2026-01-01T00:00:00Z","hdop":2.0"#
            ))
        #expect(records[4].hasPrefix("6: ") && records[5].hasPrefix("6: "))
        #expect(records[6].contains(#""point":4"#))
        #expect(records[7].contains(#""segment":2,"track_name":"T","point":1"#))
    }

    /// A track of a sports watch, with the extensions of Garmin and Strava; a waypoint of Garmin's map program; a point
    /// of GPX 1.0.
    private let sports = """
        <?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"
         xmlns:ns3="http://www.garmin.com/xmlschemas/TrackPointExtension/v1" xmlns:gpxx="http://example.org">
        <wpt lat="1" lon="2"><magvar>359.5</magvar><cmt>c</cmt><src>s</src><link href="http://x/?a&amp;b"><text>t</text></link>
        <link href="5"/><sym>Flag</sym><type>spot</type><extensions><gpxx:WaypointExtension at="2026">
        <gpxx:DisplayMode>SymbolAndName</gpxx:DisplayMode><gpxx:Categories><gpxx:Category>x</gpxx:Category>
        <gpxx:Category>7</gpxx:Category></gpxx:Categories></gpxx:WaypointExtension><note/></extensions></wpt>
        <trk><extensions><gpxx:TrackExtension><hr>5</hr></gpxx:TrackExtension></extensions><trkseg>
        <trkpt lat="8" lon="9"><fix>3d</fix><sat>7</sat><vdop>x</vdop><extensions><power>250</power>
        <ns3:TrackPointExtension><ns3:atemp>21.5</ns3:atemp><ns3:hr>140</ns3:hr><ns3:cad>90</ns3:cad>
        </ns3:TrackPointExtension></extensions></trkpt>
        <trkpt lat="8" lon="9"><extensions><a:TrackPointExtension xmlns:a="v2"><a:wtemp>4</a:wtemp><a:depth>2.5</a:depth>
        <a:speed>1.5</a:speed><a:course>90</a:course><a:bearing>91</a:bearing></a:TrackPointExtension>
        <heartrate>--</heartrate><cadence>80</cadence><cadence>81</cadence></extensions></trkpt>
        <trkpt lat="8" lon="9"><speed>2</speed><course>3.5</course><url>http://y</url><urlname>n</urlname>
        <gpxx:depth>1</gpxx:depth><gpxx:color>red</gpxx:color></trkpt></trkseg></trk></gpx>
        """

    @Test("Extensions and all elements of a point are kept")
    func extensions() throws {
        let records = try Reading.everywhere(sports) { GPXDocuments($0) }.records
        let start =
            #"- {"type":"Feature","geometry":{"type":"Point","coordinates":[9.0,8.0]},"properties":{"kind":"track","track":1,"segment":1,"point":"#
        #expect(
            records == [
                #"- {"type":"Feature","geometry":{"type":"Point","coordinates":[2.0,1.0]},"properties":{"kind":"waypoint","magneticVariation":359.5,"comment":"c","source":"s","symbol":"Flag","type":"spot","links":[{"href":"http://x/?a&b","text":"t"},{"href":"5"}],"extensions":{"WaypointExtension":{"at":2026,"DisplayMode":"SymbolAndName","Categories":{"Category":["x",7]}},"note":""}}}"#,
                start + #"1,"fix":"3d","satellites":7,"power":250,"temperature":21.5,"heartRate":140,"cadence":90}}"#,
                start
                    + #"2,"waterTemperature":4,"depth":2.5,"speed":1.5,"course":90,"bearing":91,"cadence":80,"extensions":{"heartrate":"--","cadence":81}}}"#,
                start
                    + #"3,"speed":2,"course":3.5,"depth":1,"links":[{"href":"http://y","text":"n"}],"extensions":{"color":"red"}}}"#,
            ])
    }

    @Test("Elements and attributes whose names differ only in their bytes are kept apart")
    func equivalentNames() throws {
        let text =
            "<gpx><wpt lat='1' lon='2'><extensions><a \u{E9}='1' e\u{301}='2'><\u{EB}>3</\u{EB}><e\u{308}>4</e\u{308}></a>"
            + "</extensions></wpt></gpx>"
        let records = try Reading(Array(text.utf8)) { GPXDocuments($0) }.records
        #expect(records.count == 1)
        for member in ["\"\u{E9}\":1", "\"e\u{301}\":2", "\"\u{EB}\":3", "\"e\u{308}\":4"] {
            #expect(records[0].utf8.firstRange(of: member.utf8) != nil, "\(member)")
        }
        let mixed = Array("<gpx><wpt lat='1' lon='2'><\u{E9}>3</e\u{301}></wpt></gpx>".utf8)
        #expect(try Reading(mixed) { GPXDocuments($0) }.error != nil)
    }

    @Test("A reference to a character has only digits")
    func references() throws {
        for (reference, isValid) in [("&#x41;", true), ("&#x\u{301}41;", false), ("&#\u{301}65;", false)] {
            let text = Array("<gpx><wpt lat='1' lon='2'><name>\(reference)</name></wpt></gpx>".utf8)
            #expect((try Reading(text) { GPXDocuments($0) }.error == nil) == isValid, "\(reference)")
        }
    }

    @Test("Extensions that are too deep or too large are a failure of their point only")
    func extensionLimits() throws {
        let deep = String(repeating: "<a>", count: 40) + String(repeating: "</a>", count: 40)
        let large = String(repeating: "<a>\(String(repeating: "x", count: 1 << 20))</a>", count: 17)
        for (content, word) in [(deep, "deeper"), (large, "16 MB")] {
            let text =
                "<gpx><wpt lat='1' lon='2'><extensions>\(content)</extensions></wpt>\n<wpt lat='1' lon='2'/></gpx>"
            let reading = try Reading(Array(text.utf8), cutAt: 9) { GPXDocuments($0) }
            #expect(reading.error == nil && reading.records.count == 2)
            #expect(reading.records[0].hasPrefix("1: ") && reading.records[0].contains(word))
        }
    }

    @Test("An app reads the points with their data and the ends of segments")
    func reader() throws {
        var reader = try GPXReader(parsing: Array(file.utf8))
        var items: [GPXReader.Item] = []
        while let item = try reader.next() { items.append(item) }
        let points = items.compactMap { if case .point(let point) = $0 { point } else { nil } }
        #expect(points.map(\.latitude) == [1, 4, 6, 8, 10, 12] && points.map(\.line) == [2, 3, 3, 5, 7, 8])
        #expect(points.map(\.kind) == [.waypoint, .route, .route, .track, .track, .track])
        #expect(points[3].time == "2026-01-01T00:00:00Z" && points[3].hdop == 2 && points[0].detail == "warm")
        #expect(items.count { $0 == .segmentEnd } == 3 && items.count == 11)
        #expect(reader.title == "T")
    }

    @Test("Each segment and route is a line")
    func lines() throws {
        let records = try Reading.everywhere(file) { GPXDocuments($0, joinsTracks: true) }.records
        #expect(records.count == 6)
        #expect(records[1].contains(#""coordinates":[[5.0,4.0],[7.0,6.0]]"#))
        #expect(
            records[4]
                == #"- {"type":"Feature","geometry":{"type":"LineString","coordinates":[[9.0,8.0],[11.0,10.0]]},"properties":{"kind":"track","track":1,"segment":1,"track_name":"T","points":2,"start":"2026-01-01T00:00:00Z","end":"2026-01-01T00:00:05Z"}}"#
        )
        #expect(records[5].contains("one point"))
    }

    @Test(
        "The points before the truncation of a file are read",
        arguments: ["<gpx><wpt lat='1' lon='2'/>\n", "<gpx><wpt lat='1' lon='2'/>\n<a></b>"])
    func cut(_ text: String) throws {
        let reading = try Reading.everywhere(text) { GPXDocuments($0) }
        #expect(reading.records.count == 1 && reading.error?.line == 2)
    }

    @Test("Elements that are nested too deep are refused")
    func depth() throws {
        let text = Array(("<gpx>" + String(repeating: "<a>", count: 100_000)).utf8)
        #expect(try Reading(text, cutAt: 10) { GPXDocuments($0) }.error != nil)
    }
}
