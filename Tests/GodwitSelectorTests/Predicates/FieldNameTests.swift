//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitStore
import Testing

/// A type whose fields have other names than its properties.
private struct Boat: DocumentObject {
    var date: Int
    var modified: Int
    var hull: Hull
    var dotted: Int
    var accented: Int

    enum CodingKeys: String, CodingKey {
        // One key has the name of another property.
        case date = "created"
        case modified = "date"
        case hull = "HULL"
        case dotted = "a.b"
        case accented = "a.\u{301}b"
    }

    struct Hull: Codable {
        var length: Double
        enum CodingKeys: String, CodingKey { case length = "len" }
    }
}

/// A type whose field names cannot be discovered, because no text is a valid level.
private struct Tank: DocumentObject {
    enum Level: String, Codable { case low, high }
    var level: Level
    var valve: Valve
    var volume: Int
    var size: Int
    enum CodingKeys: String, CodingKey {
        case level, valve, volume
        case size = "volume2"
    }
    struct Valve: Codable { var width: Int }
}

/// The same type with declared field names.
private struct NamedTank: DocumentObject, FieldNaming {
    var level: Tank.Level
    var valve: Tank.Valve
    var volume: Int
    var size: Int
    var liters: Int { volume }
    enum CodingKeys: String, CodingKey {
        case level, valve, volume
        case size = "volume2"
    }
    static var fieldNames: [PartialKeyPath<NamedTank>: String] {
        [\.valve: "valve", \.size: "volume2", \.liters: "volume"]
    }
}

/// Keys that accept any name define no field names.
private struct Loose: DocumentObject {
    var year: Int

    struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        year = try decoder.container(keyedBy: AnyKey.self).decode(Int.self, forKey: AnyKey(stringValue: "jahr"))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(year, forKey: AnyKey(stringValue: "jahr"))
    }
}

/// A type that also reads an old field name.
private struct Migrated: DocumentObject {
    var year: Int

    enum CodingKeys: String, CodingKey { case year = "built" }
    enum OldKeys: String, CodingKey { case year = "jahr" }

    init(from decoder: any Decoder) throws {
        let old = try decoder.container(keyedBy: OldKeys.self)
        let year = try old.decodeIfPresent(Int.self, forKey: .year)
        self.year = try year ?? decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .year)
    }
}

/// Names with a special meaning in Mango, and a set.
private struct Odd: DocumentObject {
    var money: Int
    var slash: Int
    var words: Set<String>
    enum CodingKeys: String, CodingKey {
        case money = "$or"
        case slash = #"a\b"#
        case words
    }
}

@Suite struct FieldNameTests {
    @Test("Coding keys name the fields, also if a key has the name of another property")
    func codingKeys() throws {
        let boat = Boat(date: 1, modified: 2, hull: Boat.Hull(length: 9.5), dotted: 4, accented: 5)
        let condition: Where<Boat> =
            \.date == 1 && \.modified == 2 && \.hull.length == 9.5 && \.dotted == 4
            && \.accented == 5
        let expected: [JSONValue] = [
            ["created": ["$eq": 1]], ["date": ["$eq": 2]], ["HULL.len": ["$eq": 9.5]], [#"a\.b"#: ["$eq": 4]],
            ["a\\.\u{301}b": ["$eq": 5]],
        ]
        #expect(try conditions(of: condition) == expected)
        #expect(try matches(condition, boat))
    }

    @Test("Keys of older documents are not mistaken for a type's own")
    func migrated() throws {
        #expect(try conditions(of: \Migrated.year == 3) == [["built": ["$eq": 3]]])
    }

    @Test("A type that cannot be inspected names the properties that keep their names, and no others")
    func opaque() throws {
        #expect(try conditions(of: \Tank.level == .high) == [["level": ["$eq": "high"]]])
        #expect(try conditions(of: \Tank.volume == 3) == [["volume": ["$eq": 3]]])
        #expect(failure(of: \Tank.size == 3)?.code == .unknownField)
        #expect(failure(of: \Tank.valve.width == 3)?.code == .unknownField)
        #expect(failure(of: \Loose.year == 3)?.code == .unknownField)
    }

    @Test("Declared names serve computed and renamed properties, and paths through other types")
    func declared() throws {
        #expect(try conditions(of: \NamedTank.liters == 3) == [["volume": ["$eq": 3]]])
        #expect(try conditions(of: \NamedTank.size == 3) == [["volume2": ["$eq": 3]]])
        #expect(try conditions(of: \NamedTank.valve.width == 3) == [["valve.width": ["$eq": 3]]])
    }

    @Test("Fields that Mango cannot reach or compare are refused")
    func odd() throws {
        #expect(failure(of: \Odd.money == 3)?.code == .unsupported)
        #expect(failure(of: \Odd.slash == 3)?.code == .unsupported)
        #expect(failure(of: \Odd.words == ["a"])?.code == .invalidValue)
        #expect(try conditions(of: Where<Odd>.contains(\.words, "a")) == [["words": ["$elemMatch": ["$eq": "a"]]]])
    }
}
