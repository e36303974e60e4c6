import GodwitJSON
import GodwitSelector
import TestKit
//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import Testing

@Suite("Collation keys")
struct CollationKeyTests {
    private func key(_ value: JSONValue) throws -> [UInt8] {
        var (key, other): ([UInt8], [UInt8]) = ([], [])
        CollationKey.append(value, to: &key)
        CollationKey.append(try JSONTape(scanning: value.jsonBytes()), at: 0, to: &other)
        #expect(key == other)
        return key
    }

    private func order(_ left: [UInt8], _ right: [UInt8]) -> JSONOrder {
        left == right ? .same : left.lexicographicallyPrecedes(right) ? .before : .after
    }

    @Test("Keys sort like their values, and no key is a prefix of another", arguments: 0..<8)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            let (left, right) = (
                RandomMango.value(depth: 2, &generator), RandomMango.value(depth: 2, &generator)
            )
            let (first, second) = (try key(left), try key(right))
            #expect(order(first, second) == JSONCollation.compare(left, right), "\(left), \(right)")
            #expect(first == second || !second.starts(with: first), "\(left), \(right)")
        }
    }

    @Test("Numbers of any length and size sort by their exact values")
    func numbers() throws {
        let texts = [
            "-1e308", "-100000000000000000000000000000000", "-9007199254740993", "-9007199254740992.0", "-1.5",
            "-1e-300",
            "0", "5e-324", "0.1", "1", "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994.0",
            "9223372036854775807", "9223372036854775808", "1e20", "100000000000000000001", "1.7e308",
        ]
        let huge = JSONValue.bigInteger("1" + String(repeating: "0", count: 400))
        let numbers = try texts.map { try json($0) } + [huge]
        for (position, number) in numbers.enumerated() {
            for (other, second) in numbers.enumerated() {
                let expected: JSONOrder = position < other ? .before : position == other ? .same : .after
                #expect(order(try key(number), try key(second)) == expected, "\(number), \(second)")
            }
        }
        #expect(try key(json("1")) == key(json("1.0")))
        #expect(try key(json("-0.0")) == key(json("0")))
    }

    @Test("Inverted for a descending field, keys sort in reverse order", arguments: 0..<2)
    func descending(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let left = try key(RandomMango.value(depth: 2, &generator))
            let right = try key(RandomMango.value(depth: 2, &generator))
            #expect(order(left.map(~), right.map(~)) == order(right, left))
        }
    }

    @Test("Ids sort by their bytes, with any content")
    func ids() {
        let ids = ["", "\u{0}", "\u{0}a", "\u{1}", "\u{2}", "A", "a", "a\u{0}", "aa", "é"]
        for (position, id) in ids.enumerated() {
            for (other, second) in ids.enumerated() {
                var (left, right): ([UInt8], [UInt8]) = ([], [])
                CollationKey.append(id: id, to: &left)
                CollationKey.append(id: second, to: &right)
                #expect(left.lexicographicallyPrecedes(right) == (position < other))
            }
        }
    }

    @Test("All matches of a selector are in its ranges, and all values in exact ranges match", arguments: 0..<8)
    func ranges(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var (inside, exact) = (0, 0)
        for _ in 0..<6_000 {
            let json = RandomMango.selector(depth: 2, &generator)
            guard let selector = try? Selector(parsing: json), let ranges = selector.ranges(of: "a") else { continue }
            let document = RandomMango.object(depth: 2, &generator)
            var key: [UInt8] = [CollationKey.missing]
            if let value = document.objectValue?["a"] { key = try self.key(value) }
            let lies = ranges.ranges.contains(key)
            let isFound = selector.matches(document)
            #expect(!isFound || lies, "\(json) on \(document)")
            if isFound, let elements = ranges.elements, case .array(let values)? = document.objectValue?["a"] {
                #expect(try values.contains { elements.contains(try self.key($0)) }, "\(json) on \(document)")
            }
            if selector.isCovered(by: ["a"]) {
                #expect(isFound == lies, "\(json) on \(document)")
                exact += 1
            }
            if lies { inside += 1 }
        }
        #expect(inside > 100 && exact > 30, "\(inside) \(exact)")
    }
}

extension KeyRanges {
    fileprivate func contains(_ key: [UInt8]) -> Bool {
        ranges.contains { !key.lexicographicallyPrecedes($0.lower) && key.lexicographicallyPrecedes($0.upper) }
    }
}
