//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitExchange
import GodwitJSON
import GodwitStore
import Testing

@Suite("Export of GPX files")
struct GPXExportTests {
    private func withStore(_ body: (Datastore) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "godwit-gpx-" + UUID().uuidString
        let manager = try DatastoreManager(directory: path, indexes: [])
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(try await manager.datastore(named: "db"))
        await manager.close()
    }

    private func importGPX(_ text: String, into store: Datastore, joinsTracks: Bool = false) async throws
        -> ImportReport
    {
        var rest = [Array(text.utf8)]
        var importer = Importer(into: store)
        return try await importer.run(GPXDocuments(try FileWindow { rest.popLast() ?? [] }, joinsTracks: joinsTracks))
    }

    private func export(_ store: Datastore) async throws -> (text: String, report: Exporter.Report) {
        var bytes: [UInt8] = []
        var exporter = Exporter(from: store, as: .gpx) { bytes += $0 }
        let report = try await exporter.run()
        return (String(decoding: bytes, as: UTF8.self), report)
    }

    private func documents(_ store: Datastore) throws -> [String: JSONObject] {
        let all = try store.documents(in: IDRange(), limit: 100_000, descending: false)
        return Dictionary(uniqueKeysWithValues: all.map { ($0.id ?? "", $0.body) })
    }

    /// Exports a database, imports the file into another one, and expects the same documents and the same file again.
    private func expectRoundTrip(_ store: Datastore, joinsTracks: Bool = false) async throws -> String {
        let (text, report) = try await export(store)
        let original = try documents(store)
        #expect(report.writtenCount == original.count && report.isComplete)
        try await withStore { (copy: Datastore) async throws -> Void in
            let imported = try await importGPX(text, into: copy, joinsTracks: joinsTracks)
            #expect(imported.isComplete && imported.writtenCount == original.count, "\(imported.failures)")
            let copied = try documents(copy)
            for (id, body) in original { #expect(copied[id] == body, "\(id)\n\(text)") }
            #expect(try await export(copy).text == text)
        }
        return text
    }

    private let file = """
        <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"
        ><wpt lat="1" lon="180"><ele>3.5</ele><name>Hut &amp; &lt;well&gt;</name><desc>"a"
        b</desc><link href="http://x/?a&amp;b"><text>t</text></link><sym>Flag</sym><extensions><x:Way xmlns:x="x" a="5"
        ><x:Mode>both</x:Mode><x:Tag>u</x:Tag><x:Tag>v</x:Tag></x:Way></extensions></wpt>
        <rte><name>R</name><rtept lat="4" lon="5"/><rtept lat="6" lon="-180"/></rte>
        <trk><name>empty</name><trkseg/></trk>
        <trk><name>T</name><trkseg>
        <trkpt lat="8" lon="9"><time>2026-01-01T00:00:00Z</time><fix>3d</fix><sat>7</sat><hdop>2</hdop><extensions>
        <power>250</power><g:TrackPointExtension xmlns:g="g"><g:atemp>21.5</g:atemp><g:hr>140</g:hr><g:cad>90</g:cad>
        </g:TrackPointExtension></extensions></trkpt>
        <trkpt lat="-8.5" lon="0.00001"><ele>0.0000002</ele><time>yesterday</time><fix>4d</fix></trkpt></trkseg>
        <trkseg><trkpt lat="12" lon="13"/><trkpt lat="12" lon="14"><name> </name></trkpt></trkseg></trk></gpx>
        """

    @Test("The points of a file come back, in their order and in the elements of GPX and Garmin")
    func points() async throws {
        try await withStore { store in
            #expect(try await importGPX(file, into: store).writtenCount == 7)
            let text = try await expectRoundTrip(store)
            let lines = text.split(separator: "\n").map(String.init)
            #expect(
                lines[1].contains(#"<gpx version="1.1" creator="Godwit" xmlns="http://www.topografix.com/GPX/1/1""#))
            #expect(
                lines[2].hasPrefix(#"<wpt lat="1.0" lon="-180.0"><ele>3.5</ele><name>Hut &amp; &lt;well&gt;</name>"#))
            // The first track is empty, so that the number of the second one must be written.
            let first = lines.firstIndex { $0.hasPrefix("<trk>") } ?? 0
            #expect(
                lines[first...] == [
                    "<trk><name>T</name><extensions><godwit:track>2</godwit:track></extensions><trkseg>",
                    #"<trkpt lat="8.0" lon="9.0"><time>2026-01-01T00:00:00Z</time><fix>3d</fix><sat>7</sat><hdop>2.0</hdop><extensions><gpxtpx:TrackPointExtension><gpxtpx:atemp>21.5</gpxtpx:atemp><gpxtpx:hr>140</gpxtpx:hr><gpxtpx:cad>90</gpxtpx:cad></gpxtpx:TrackPointExtension><pwr:PowerInWatts>250</pwr:PowerInWatts></extensions></trkpt>"#,
                    #"<trkpt lat="-8.5" lon="0.00001"><ele>0.0000002</ele><extensions><godwit:fix>4d</godwit:fix><godwit:time>yesterday</godwit:time></extensions></trkpt>"#,
                    "</trkseg>", "<trkseg>", #"<trkpt lat="12.0" lon="13.0"></trkpt>"#,
                    #"<trkpt lat="12.0" lon="14.0"></trkpt>"#, "</trkseg></trk>", "</gpx>",
                ])
        }
    }

    @Test("Tracks that are one document come back as one document, with and without --tracks")
    func lines() async throws {
        try await withStore { store in
            #expect(try await importGPX(file, into: store, joinsTracks: true).writtenCount == 4)
            let text = try await expectRoundTrip(store)
            #expect(try await expectRoundTrip(store, joinsTracks: true) == text)
            #expect(text.contains("<rte><name>R</name><extensions><godwit:is-line/></extensions>"))
        }
    }

    @Test("Points of tracks are in order for any order of their ids, over many pages")
    func order() async throws {
        try await withStore { store in
            let points = (1...1_500).map { #"<trkpt lat="1" lon="\#($0 / 10).5"/>"# }.joined()
            let text = "<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>"
            #expect(try await importGPX(text, into: store).writtenCount == 1_500)
            let exported = try await export(store).text
            let degrees = exported.split(separator: "\n").compactMap { line in
                line.hasPrefix("<trkpt") ? line.split(separator: "\"")[3] : nil
            }
            #expect(degrees == (1...1_500).map { "\($0 / 10).5" })
            #expect(!exported.contains("extensions"))
        }
    }

    @Test("Tracks of two files with the same numbers stay two tracks")
    func twoFiles() async throws {
        try await withStore { store in
            for name in ["A", "B"] {
                let text = "<gpx><trk><name>\(name)</name><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>"
                #expect(try await importGPX(text, into: store).writtenCount == 1)
            }
            let text = try await expectRoundTrip(store)
            #expect(text.split(separator: "<trk>").count == 3 && text.contains("<godwit:track>1</godwit:track>"))
        }
    }

    @Test("Documents that GPX cannot contain are left out and counted; other features are waypoints")
    func others() async throws {
        try await withStore { store in
            let point: JSONValue = ["type": "Point", "coordinates": [1.5, 2]]
            let bodies: [(String, JSONObject)] = [
                ("a", ["type": "Feature", "geometry": point, "properties": ["name": "A", "population": 7]]),
                ("b", ["geometry": point, "name": "B", "open": true]), ("c", ["name": "C"]),
                ("d", ["geometry": ["type": "MultiPoint", "coordinates": [[1, 2]]]]),
                ("e", ["geometry": ["type": "Point", "coordinates": [1, 95]]]), ("_design/x", ["language": "x"]),
            ]
            for (id, body) in bodies { _ = try await store.create(Document(id: id, body: body)) }
            let (text, report) = try await export(store)
            #expect((report.writtenCount, report.leftOutCount, report.badCount) == (2, 2, 1))
            #expect(
                text.split(separator: "\n").dropFirst(2) == [
                    #"<wpt lat="2.0" lon="1.5"><name>A</name><extensions><godwit:document-id>a</godwit:document-id><godwit:absent-members>kind</godwit:absent-members><godwit:population>7</godwit:population></extensions></wpt>"#,
                    #"<wpt lat="2.0" lon="1.5"><name>B</name><extensions><godwit:document-id>b</godwit:document-id><godwit:absent-members>kind</godwit:absent-members><godwit:json-members>{&quot;open&quot;:true}</godwit:json-members></extensions></wpt>"#,
                    "</gpx>",
                ])
            try await withStore { (copy: Datastore) async throws -> Void in
                #expect(try await importGPX(text, into: copy).writtenCount == 2)
                // As in a GeoJSON file, the members of a document that is no feature become properties.
                #expect(try copy.document("b").body["properties"] == ["name": "B", "open": true])
            }
        }
    }

    @Test("Other programs may write the own elements with another prefix, or with the namespace on each element")
    func prefixes() throws {
        let points = [
            #"<wpt lat="1" lon="2"><extensions><n0:document-id xmlns:n0="urn:godwit:gpx:1">i</n0:document-id><n0:a>5</n0:a></extensions></wpt>"#,
            #"<wpt lat="1" lon="2"><extensions><document-id xmlns="urn:godwit:gpx:1">i</document-id><a xmlns="urn:godwit:gpx:1">5</a></extensions></wpt>"#,
        ]
        for point in points {
            let records = try Reading.everywhere("<gpx>\(point)</gpx>") { GPXDocuments($0) }.records
            #expect(
                records == [
                    #"i {"type":"Feature","geometry":{"type":"Point","coordinates":[2.0,1.0]},"properties":{"kind":"waypoint","a":5}}"#
                ])
        }
        let damaged = points[0].replacing("n0:a>5</n0:a>", with: "n0:json-members>[]</n0:json-members>")
        let records = try Reading.everywhere("<gpx>\(damaged)</gpx>") { GPXDocuments($0) }.records
        #expect(records.count == 1 && records[0].contains("not a JSON object"))
    }

    // MARK: Any documents

    private static let names = [
        "kind", "track", "segment", "point", "track_name", "points", "start", "end", "name", "description", "time",
        "elevation", "hdop", "heartRate", "cadence", "power", "course", "temperature", "fix", "satellites", "links",
        "extensions", "json-members", "document-id", "two words", "1a", "é", "", "type", "x.y", "_id", "comment",
        "xmlns",
    ]
    private static let texts = [
        "", " a", "5", "<&>\"'", "a\r\nb", "\u{FFFF}\u{1}", "e\u{301}", "2026-01-31T12:00:00Z", "2026-02-31T12:00:00Z",
        "3d", "x y", "]]>", "\u{200B}", "track", "route", "waypoint",
    ]

    private func value(_ random: inout SeededRandom, depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0..<(depth > 2 ? 7 : 9), using: &random) {
        case 0: .null
        case 1: .bool(.random(using: &random))
        case 2: .integer(.random(in: -300...300, using: &random))
        case 3: .double(.random(in: -1_000...1_000, using: &random))
        case 4:
            [.double(1e-9), .double(1e22), .double(90), .bigInteger("12345678901234567890")].randomElement(
                using: &random)!
        case 5: .string(GPXExportTests.texts.randomElement(using: &random)!)
        case 6: .string("n\(Int.random(in: 0..<9, using: &random))")
        case 7: .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in value(&random, depth: depth + 1) })
        default: .object(members(&random, upTo: 4, depth: depth + 1))
        }
    }

    private func members(_ random: inout SeededRandom, upTo count: Int, depth: Int = 0) -> JSONObject {
        JSONObject(
            (0..<Int.random(in: 0..<count, using: &random)).map { _ in
                (GPXExportTests.names.randomElement(using: &random)!, value(&random, depth: depth))
            })
    }

    private func position(_ random: inout SeededRandom, hasAltitude: Bool) -> JSONValue {
        let longitude = [180, -180, 1e-7, .random(in: -180...180, using: &random)].randomElement(using: &random)!
        let altitude: [JSONValue] = hasAltitude ? [.double(.random(in: -9...9, using: &random))] : []
        return .array([.double(longitude), .double(.random(in: -90...90, using: &random))] + altitude)
    }

    private func feature(_ random: inout SeededRandom) -> JSONObject {
        var properties = members(&random, upTo: 9)
        if Bool.random(using: &random) {
            properties["kind"] = .string(["track", "route", "waypoint"].randomElement(using: &random)!)
            for name in ["track", "segment", "point"] where Int.random(in: 0..<9, using: &random) > 0 {
                properties[name] = .integer(.random(in: 1...3, using: &random))
            }
        }
        if Bool.random(using: &random) {
            properties["heartRate"] = .integer(.random(in: -1...300, using: &random))
            properties["links"] = [["href": "a", "text": "b"], ["href": "c"]]
            properties["track_name"] = .string(["A", "B", "", " x"].randomElement(using: &random)!)
        }
        let hasAltitude = Int.random(in: 0..<4, using: &random) == 0
        let geometry: JSONValue =
            if Int.random(in: 0..<4, using: &random) == 0 {
                [
                    "type": "LineString",
                    "coordinates": .array(
                        (0..<Int.random(in: 2..<5, using: &random)).map { _ in
                            position(&random, hasAltitude: hasAltitude)
                        }),
                ]
            } else {
                ["type": "Point", "coordinates": position(&random, hasAltitude: hasAltitude)]
            }
        return ["type": "Feature", "geometry": geometry, "properties": .object(properties)]
    }

    @Test("Features with any properties survive a round trip", arguments: 0..<12)
    func anyFeatures(seed: UInt64) async throws {
        var random = SeededRandom(state: seed)
        try await withStore { store in
            for number in 0..<60 {
                _ = try await store.create(Document(id: "id <\(number)>", body: feature(&random)))
            }
            _ = try await expectRoundTrip(store)
        }
    }
}
