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
