//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CText
import GodwitBase

/// Tests for Unicode's composed form (NFC), in which canonically equivalent strings have the same bytes (UAX #15).
package enum ComposedForm {
    /// Whether a string is in composed form. A string with too many marks in a row is not.
    package static func holds(_ text: String) -> Bool {
        guard !text.hasTooManyMarks else { return false }
        let characters = text.unicodeScalars.map { Int32($0.value) }
        return characters.allSatisfy { $0 < 0x300 } || composed(ordered(characters.flatMap(decomposed))) == characters
    }

    /// A character and its canonical combining class.
    private struct Part {
        let character: Int32
        let combiningClass: UInt8
    }

    /// The complete decomposition of a character.
    private static func decomposed(_ character: Int32) -> [Part] {
        var parts = godwit_decomposition()
        guard godwit_decompose(character, &parts) else {
            return [Part(character: character, combiningClass: godwit_combining_class(character))]
        }
        return decomposed(parts.first) + (parts.second == 0 ? [] : decomposed(parts.second))
    }

    /// Brings marks in a row into the order of their classes. Marks of one class keep their order.
    private static func ordered(_ parts: [Part]) -> [Part] {
        var parts = parts
        for position in parts.indices.dropFirst() {
            let part = parts[position]
            var target = position
            while part.combiningClass > 0, target > 0, parts[target - 1].combiningClass > part.combiningClass {
                parts[target] = parts[target - 1]
                target -= 1
            }
            parts[target] = part
        }
        return parts
    }

    private static func composed(_ parts: [Part]) -> [Int32] {
        var characters: [Int32] = []
        var starter: Int?
        // The class of the last character after the starter, which blocks marks of this class and of lower ones.
        var lastClass: UInt8?
        for part in parts {
            let isBlocked = lastClass.map { $0 >= part.combiningClass } ?? false
            if let starter, !isBlocked, case let pair = godwit_compose(characters[starter], part.character), pair >= 0 {
                characters[starter] = pair
                continue
            }
            if part.combiningClass == 0 {
                (starter, lastClass) = (characters.count, nil)
            } else {
                lastClass = part.combiningClass
            }
            characters.append(part.character)
        }
        invariant(characters.count <= parts.count, "a composed form is not longer than the decomposed one")
        return characters
    }
}
