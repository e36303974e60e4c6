//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import TestKit
import Testing

@testable import GodwitStore

/// A document with one value.
private struct Holder<Content: Codable & Sendable>: DocumentObject {
    static var dataType: String { "holder" }
    var content: Content
}

extension Holder: Equatable where Content: Equatable {}

private enum Shape: Codable, Equatable {
    case none
    case circle(radius: Double)
    case box(Int, height: Int?)
    indirect case group([Shape])
}

private enum Colour: String, Codable { case red, green }

private class Animal: Codable, @unchecked Sendable {  // Nothing of it changes after it was made.
    let name: String

    init(name: String) { self.name = name }
}

private final class Bird: Animal, DocumentObject, @unchecked Sendable {  // Nor of this.
    let rings: [String]

    private enum CodingKeys: String, CodingKey { case rings }

    init(name: String, rings: [String]) {
        self.rings = rings
        super.init(name: name)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rings = try container.decode([String].self, forKey: .rings)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(rings, forKey: .rings)
        try super.encode(to: container.superEncoder())
    }
}

/// A type that is encoded with nested arrays and a flat member.
private struct Grid: DocumentObject, Equatable {
    var rows: [[Int]]
    var title: String

    private enum CodingKeys: CodingKey { case grid, rows, title }

    init(rows: [[Int]], title: String) {
        self.rows = rows
        self.title = title
    }

    init(from decoder: any Decoder) throws {
        let grid = try decoder.container(keyedBy: CodingKeys.self)
            .nestedContainer(keyedBy: CodingKeys.self, forKey: .grid)
        title = try grid.decode(String.self, forKey: .title)
        var container = try grid.nestedUnkeyedContainer(forKey: .rows)
        rows = []
        while !container.isAtEnd {
            var row = try container.nestedUnkeyedContainer()
            var numbers: [Int] = []
            while !row.isAtEnd { numbers.append(try row.decode(Int.self)) }
            rows.append(numbers)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: CodingKeys.self)
        var grid = outer.nestedContainer(keyedBy: CodingKeys.self, forKey: .grid)
        var container = grid.nestedUnkeyedContainer(forKey: .rows)
        for row in rows {
            var numbers = container.nestedUnkeyedContainer()
            for number in row { try numbers.encode(number) }
        }
        try grid.encode(title, forKey: .title)
    }
}

/// A linked list, whose elements are nested when encoded.
private final class Link: Codable, Sendable {
    let next: Link?

    init(next: Link?) { self.next = next }
}

@Suite("Values of a document object")
struct DocumentObjectValueTests {
    @Test func numbers() throws {
        try roundTrip([Int64.min, -1, 0, .max], "[-9223372036854775808,-1,0,9223372036854775807]")
        try roundTrip([UInt64.max, 0], "[18446744073709551615,0]")
        try roundTrip([UInt128.max], "[340282366920938463463374607431768211455]")
        try roundTrip([Int128.min], "[-170141183460469231731687303715884105728]")
        try roundTrip([Int8.min, .max], "[-128,127]")
        try roundTrip(
            [0.1, 1, Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e23, -0.5],
            "[0.1,1.0,5e-324,1.7976931348623157e+308,1e+23,-0.5]")
        try roundTrip([Float(0.1), .greatestFiniteMagnitude, .leastNonzeroMagnitude, 16_777_216])
        try #expect(stored(-0.0) == "-0.0" && stored(Float(0.1)) == "0.1")
    }

    @Test("Floats of every exponent survive a round trip")
    func floats() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let floats = (0..<500).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())) }
            try roundTrip(floats.filter(\.isFinite))
        }
    }

    @Test("A decimal is a string with all its digits")
    func decimals() throws {
        let texts = [
            "0.1234567890123456789", "-12345678901234567890123456789012345678", "0", "79.99",
            "1" + String(repeating: "0", count: 127), "-0." + String(repeating: "0", count: 120) + "7",
        ]
        for text in texts {
            let decimal = try #require(Decimal(string: text))
            try roundTrip(decimal, "\"\(decimal)\"")
        }
        try #expect(read("12.5") == Decimal(string: "12.5"))
        try #expect(read("-7") == Decimal(-7))
        try #expect(read("12345678901234567890") == Decimal(string: "12345678901234567890"))
        try #expect(read("1e3") == Decimal(1_000))
        try #expect(read("2.5e-7") == Decimal(string: "0.00000025"))
        for text in [#""""#, #""7a""#, #"" 7""#, #""7 ""#, #""null""#, #""NaN""#, #""1,5""#, #""1e999""#, "true"] {
            expectUndecodable(text, as: Decimal.self)
        }
    }

    @Test func dataAndURLs() throws {
        try roundTrip([Data(), Data([0]), Data([0, 255]), Data(0...255)])
        try #expect(stored(Data([1, 2])) == #""AQI=""#)
        let url = try #require(URL(string: "https://example.org/a%20b?c=d#e"))
        try roundTrip(url, #""https://example.org/a%20b?c=d#e""#)
        expectUndecodable(#""A""#, as: Data.self)
        expectUndecodable("7", as: URL.self)
    }

    @Test func containers() throws {
        try roundTrip([[1, nil], nil, []] as [[Int?]?], "[[1,null],null,[]]")
        try roundTrip(["b": [1], "a": [], "é": [2]], #"{"a":[],"b":[1],"é":[2]}"#)
        try roundTrip([2: "b", 1: "a"])
        try roundTrip([Colour.green: 1])
        try roundTrip(Set([1, 2, 3]))
        try roundTrip(Colour.red, #""red""#)
        try roundTrip(
            [Shape.none, .circle(radius: 1), .box(1, height: nil), .group([.box(2, height: 3)])],
            #"[{"none":{}},{"circle":{"radius":1.0}},{"box":{"_0":1}},{"group":{"_0":[{"box":{"_0":2,"height":3}}]}}]"#)
        try roundTrip(Holder(content: Holder(content: Date(timeIntervalSinceReferenceDate: 0.5))))
        try roundTrip([Date?.none, .some(Date(timeIntervalSinceReferenceDate: -1e-9))])
        try roundTrip(Optional<Int>.none, nil)
        try roundTrip("a\u{0}\u{1F426}\"\\", #""a\u0000\#u{1F426}\"\\""#)
    }

    @Test func nestedContainersAndSuperclasses() throws {
        let grid = Grid(rows: [[1, 2], [], [3]], title: "t")
        let document = try Document(encoding: grid)
        #expect(document.body.description == #"{"@datatype":"Grid","grid":{"rows":[[1,2],[],[3]],"title":"t"}}"#)
        try #expect(document.decoded(as: Grid.self) == grid)

        let bird = try Document(encoding: Bird(name: "Limosa", rings: ["Z0"]))
        #expect(bird.body.description == #"{"@datatype":"Bird","rings":["Z0"],"super":{"name":"Limosa"}}"#)
        let read = try bird.decoded(as: Bird.self)
        #expect(read.name == "Limosa" && read.rings == ["Z0"])
    }

    @Test("Integers are decoded from integral doubles in their range only")
    func integers() throws {
        try #expect(read("7.0") == 7)
        try #expect(read("1e3") == 1_000)
        try #expect(read("7") == 7.0)
        for text in ["7.5", "128", "-129", "1e30", "12345678901234567890", #""7""#, "true", "null"] {
            expectUndecodable(text, as: Int8.self)
        }
        expectUndecodable("1e300", as: Float.self)
        expectUndecodable("1" + String(repeating: "0", count: 400), as: Double.self)
        expectUndecodable("1", as: Bool.self)
    }

    @Test("Values that JSON cannot represent are refused, with their path but without the value")
    func refused() async {
        await expectFailure(.invalidJSON) { _ = try Document(encoding: Holder(content: Double.nan)) }
        await expectFailure(.invalidJSON) { _ = try Document(encoding: Holder(content: [-Float.infinity])) }
        await expectFailure(.invalidJSON) { _ = try Document(encoding: Holder(content: Decimal.nan)) }
        await expectFailure(.invalidDocument) { _ = try Document(encoding: Holder(content: Date.distantFuture + 3e11)) }
        do {
            _ = try Document(encoding: Holder(content: ["a": [1, Double.infinity]]))
            Issue.record("an infinite number was encoded")
        } catch {
            #expect(error.message.contains("content.a.1") && !error.message.contains("inf"), "\(error)")
        }
    }

    @Test("Values that are nested too deep are refused on the smallest stack", arguments: [98, 99, 100, 900])
    func depth(levels: Int) async throws {
        await onSmallStack {
            var link = Link(next: nil)
            var body = JSONObject()
            for _ in 1..<levels {
                link = Link(next: link)
                body = ["next": .object(body)]
            }
            let fits = levels < 100
            #expect(fits == ((try? Document(encoding: Holder(content: link))) != nil))
            let document = Document(body: ["@datatype": "holder", "content": .object(body)])
            #expect(fits == ((try? document.decoded(as: Holder<Link>.self)) != nil))
        }
    }
}

/// Encodes a value, writes it as JSON, parses and decodes that. Checks the value, and the text if it is given.
private func roundTrip<Content: Codable & Equatable & Sendable>(
    _ content: Content, _ text: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let body = try Document(encoding: Holder(content: content)).body
    if let text { #expect(body["content"]?.jsonText() == text, sourceLocation: sourceLocation) }
    let read = try #require(try JSONValue(parsing: body.description).objectValue)
    let decoded = try Document(body: read).decoded(as: Holder<Content>.self)
    #expect(decoded.content == content, sourceLocation: sourceLocation)
}

private func stored<Content: Codable & Sendable>(_ content: Content) throws -> String? {
    try Document(encoding: Holder(content: content)).body["content"]?.jsonText()
}

private func read<Content: Codable & Sendable>(_ text: String, as type: Content.Type = Content.self) throws -> Content {
    let content = try JSONValue(parsing: text)
    return try Document(body: ["@datatype": "holder", "content": content]).decoded(as: Holder<Content>.self).content
}

private func expectUndecodable<Content: Codable & Sendable>(
    _ text: String, as type: Content.Type, sourceLocation: SourceLocation = #_sourceLocation
) {
    do {
        _ = try read(text, as: type)
        Issue.record("\(text) was read", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? StoreError)?.code == .undecodable, sourceLocation: sourceLocation)
    }
}
