//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitExchange
import Testing

@Suite("GeoJSON files")
struct FeatureReaderTests {
    private func read(
        _ text: String, features: String = "features", id: String? = nil, hasLines: Bool = false
    ) throws -> Reading {
        try Reading.everywhere(text) {
            FeatureReader($0, featuresMember: features, idProperty: id, hasLines: hasLines)
        }
    }

    private let point = #"{"type":"Point","coordinates":[1.5,2.25]}"#

    private func feature(_ id: String?, name: String = "a") -> String {
        #"{"type":"Feature",\#(id.map { "\"id\":\($0)," } ?? "")"properties":{"name":"\#(name)"},"geometry":\#(point)}"#
    }

    @Test("The features of a collection, with any other members around them")
    func collection() throws {
        let text = """
            \u{FEFF} {"type" : "FeatureCollection", "bbox":[1,2,3,4], "note":"a ] } \\" \\\\", "features" :
            [ \(feature("\"x\"")) , \(feature("7")),\(feature(nil, name: "{[\\\"")) ], "after": {"features":[1]} }
            """
        let reading = try read(text)
        let body = #"{"type":"Feature","properties":{"name":"a"},"geometry":\#(point)}"#
        #expect(
            reading.records == ["x \(body)", "7 \(body)", "- " + body.replacing("\"a\"", with: #""{[\"""#)])
        #expect(reading.error == nil)
    }

    @Test("A single feature, a single geometry, a list, lines, and a sequence of texts")
    func forms() throws {
        let (x, y) = (feature("\"x\""), feature("\"y\""))
        for text in [
            "\(x)\n\(y)\n", "[\(x),\(y)]", "\u{1E}\(x)\n\u{1E}\(y)\n", "\(x)\r\n\r\n\(y)",
            "\u{1E}\(x.replacing(",", with: ",\n"))\u{1E}\(y)", #"{"features":[\#(x)]}{"features":[\#(y)]}"#,
        ] {
            let reading = try read(text)
            #expect(reading.records.map { $0.prefix(2) } == ["x ", "y "])
            #expect(reading.error == nil)
        }
        #expect(try read(x).records.count == 1)
        let alone = try read(point).records
        #expect(alone == [#"- {"type":"Feature","geometry":\#(point),"properties":{}}"#])
        #expect(try read("").records.isEmpty && read("[]").records.isEmpty && read(#"{"features":[]}"#).records.isEmpty)
    }

    @Test("The member that contains the features, and the property for the id")
    func names() throws {
        let text = #"{"places":[{"type":"Feature","geometry":null,"name":"a","properties":{"n":3443013.0}}]}"#
        #expect(
            try read(text, features: "places").records == [
                #"- {"type":"Feature","geometry":null,"name":"a","properties":{"n":3443013.0}}"#
            ])
        #expect(try read(text, features: "places", id: "n").records[0].hasPrefix("3443013 "))
        #expect(try read(text, features: "places", id: "name").records[0].hasPrefix("a "))
        #expect(try read(text, features: "places", id: "none").records[0].contains("`none`"))
        #expect(try read(text).records[0].contains("--features"))
    }

    @Test("An invalid feature is reported with its line, and the others are read")
    func failures() throws {
        let text = """
            {"type":"FeatureCollection","features":[
            \(feature("\"x\"")),
            {"type":"Feature","geometry":{"type":"Point","coordinates":[1,]}},
            {"type":"Circle"}, 3, {"type":"Feature","geometry":5}, {"type":"Feature","id":{}},
            \(feature("\"y\""))]}
            """
        let reading = try read(text)
        #expect(reading.records.map { $0.prefix(2) } == ["x ", "3:", "4:", "4:", "4:", "4:", "y "])
        #expect(reading.error == nil)
    }

    @Test("In a file of lines, an invalid line is the only one that is lost")
    func badLine() throws {
        let (x, y) = (feature("\"x\""), feature("\"y\""))
        #expect(try read("\(x)\n{\"type\":\"Feature\n\(y)\n").records.map { $0.prefix(2) } == ["x ", "2:", "y "])
        #expect(try read("{\n\(x)\n", hasLines: true).records.map { $0.prefix(2) } == ["1:", "x "])
        #expect(try read("\u{1E}{\"type\"\u{1E}\(y)").records.map { $0.prefix(2) } == ["1:", "y "])
    }

    @Test(
        "A truncated or different file stops with its line",
        arguments: [
            ("\n<kml/>", 2), (#"{"features":["#, 1), ("{\"features\":[\n{\"type\":\"Feature\"}", 2),
            (#"{"features"]"#, 1),
            (#"{"features":[}]}"#, 1), ("{\n\"a\":}", 2), (#"{"a":1"#, 1), ("{\"a\"\n", 2), ("{3:4}", 1), ("[\n", 2),
        ])
    func broken(_ text: String, _ line: Int) throws {
        let error = try #require(try read(text).error)
        #expect(error.line == line)
    }

    @Test("Coordinates in another system are refused, unless it is WGS 84")
    func systems() throws {
        let collection = { (name: String) in
            #"{"crs":{"type":"name","properties":{"name":"\#(name)"}},"features":[{"type":"Feature"}]}"#
        }
        #expect(try read(collection("urn:ogc:def:crs:EPSG::3857")).error?.message.contains("ogr2ogr") == true)
        #expect(try read(collection("urn:ogc:def:crs:OGC:1.3:CRS84")).records.count == 1)
    }

    @Test("Bytes with any changes result in records or an error, the same for any sizes of the pieces")
    func mutations() throws {
        var random = SeededRandom(state: 7)
        let text = Array(#"{"a":[1,"\\\"}"],"features":[\#(feature("1")),\#(feature(nil))],"b":{}}"#.utf8)
        for _ in 0..<150 {
            var text = text
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let position = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[position] = Array("{}[],:\"\\\n\u{1E}0a".utf8).randomElement(using: &random)!
                case 1: text.remove(at: position)
                default: text.insert(UInt8.random(in: .min ... .max, using: &random), at: position)
                }
            }
            _ = try Reading.everywhere(text) { FeatureReader($0) }
        }
    }
}
