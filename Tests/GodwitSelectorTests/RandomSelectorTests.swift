//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import TestKit
import Testing

@Suite("Random selectors")
struct RandomSelectorTests {
    @Test("Text and values match alike, also with the normal form", arguments: 0..<8)
    func agreement(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var matched = 0
        for _ in 0..<1_500 {
            let json = RandomMango.selector(depth: 3, &generator)
            guard let selector = try? Selector(parsing: json) else { continue }
            let document = RandomMango.object(depth: 3, &generator)
            let inTape = selector.matches(try JSONTape(scanning: document.jsonBytes()))
            #expect(selector.matches(document) == inTape, "\(json) on \(document)")
            let again = try Selector(parsing: selector.normalized)
            #expect(again.normalized == selector.normalized)
            #expect(again.matches(document) == inTape, "\(json) on \(document)")
            if inTape { matched += 1 }
        }
        #expect(matched > 100, "the selectors are too rarely true to test anything")
    }

    @Test("Collation orders text and values alike", arguments: 0..<4)
    func collation(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let (left, right, third) = (
                RandomMango.value(depth: 2, &generator), RandomMango.value(depth: 2, &generator),
                RandomMango.value(depth: 2, &generator)
            )
            let order = JSONCollation.compare(left, right)
            let tape = try JSONTape(scanning: left.jsonBytes())
            let other = try JSONTape(scanning: right.jsonBytes())
            #expect(JSONCollation.compare(tape, at: 0, right) == order)
            #expect(JSONCollation.compare(tape, at: 0, other, at: 0) == order)
            #expect((JSONCollation.compare(right, left) == .before) == (order == .after))
            if order != .after, JSONCollation.compare(right, third) != .after {
                #expect(JSONCollation.compare(left, third) != .after, "\(left), \(right), \(third)")
            }
        }
    }
}
