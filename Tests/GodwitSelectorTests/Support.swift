//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector

/// The value of a JSON text.
func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

/// Whether a document meets a selector, in both forms that a document can have; `nil` when the two disagree.
func matches(_ selector: String, _ document: String) throws -> Bool? {
    let selector = try Selector(parsing: json(selector))
    let tape = try JSONTape(scanning: Array(document.utf8))
    let inTape = selector.matches(tape)
    return selector.matches(try json(document)) == inTape ? inTape : nil
}

/// The error of a selector.
func failure(of selector: JSONValue) -> SelectorError? {
    do throws(SelectorError) {
        _ = try Selector(parsing: selector)
        return nil
    } catch {
        return error
    }
}

/// A generator that a seed replays (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    mutating func chance(_ one: Int, in all: Int) -> Bool { Int.random(in: 0..<all, using: &self) < one }
}
