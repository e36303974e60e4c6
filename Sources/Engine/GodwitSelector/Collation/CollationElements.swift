//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The collation elements of a text in UTF-8, in their order.
///
/// The algorithm is that of Unicode (UTS #10), without normalization of the text: as ICU's default, which CouchDB uses.
/// A text that is not in a composed or decomposed order of marks can therefore differ from an equivalent text.
struct CollationElements {
    private let table: CollationTable
    var scalars: ScalarReader
    /// The elements that follow of the last character or contraction.
    private var rest = 0..<0
    /// The letters that follow of the last syllable of Hangul, 16 bits each; the lowest is next.
    private var letters: UInt64 = 0

    init(_ text: UnsafeRawBufferPointer, _ table: CollationTable) {
        self.table = table
        scalars = ScalarReader(text)
    }

    /// Returns the next element; `nil` at the end.
    @inline(__always)
    mutating func next() -> CollationElement? {
        guard rest.isEmpty else {
            let first = rest.lowerBound
            rest = first + 1..<rest.upperBound
            return table.element(first)
        }
        if letters == 0, let byte = scalars.nextWithinASCII() { return table.element(ofASCII: byte) }
        return nextOfCharacter()
    }

    private mutating func nextOfCharacter() -> CollationElement? {
        guard let point = letters == 0 ? scalars.next() : nextLetter() else { return nil }
        let entry = table.entry(of: point)
        if entry.beginsContraction, let elements = scalars.contraction(beginningWith: point, in: table) {
            return first(of: elements)
        }
        switch entry.kind {
        case CollationTable.Entry.rule: return elementByRule(of: point)
        case 1: return .ignored
        case 2: return table.element(entry.first)
        case CollationTable.Entry.ideograph: return entry.ideographElement
        case let kind: return first(of: .init(first: entry.first, count: Int(kind) - 1))
        }
    }

    private mutating func first(of elements: CollationTable.Elements) -> CollationElement {
        rest = elements.first + 1..<elements.first + elements.count
        return table.element(elements.first)
    }

    private mutating func nextLetter() -> UInt32 {
        defer { letters >>= 16 }
        return UInt32(letters & 0xFFFF)
    }

    // MARK: Rules

    /// A syllable of Hangul has the elements of its letters. A code point without a weight sorts behind all others: the
    /// first byte is FE, and the other three are digits of the code point.
    private mutating func elementByRule(of point: UInt32) -> CollationElement {
        let (syllable, isBefore) = point.subtractingReportingOverflow(0xAC00)
        if !isBefore, syllable < 11_172 {
            let (medial, final) = (0x1161 + syllable / 28 % 21, syllable % 28)
            letters = UInt64(medial) | (final == 0 ? 0 : UInt64(0x11A7 + final) << 16)
            return table.element(table.entry(of: 0x1100 + syllable / 588).first)
        }
        let (rest, lastDigit) = (point + 1).quotientAndRemainder(dividingBy: 18)
        let (firstDigit, middleDigit) = rest.quotientAndRemainder(dividingBy: 254)
        return CollationElement(
            primary: 0xFE << 24 | (4 + firstDigit % 251) << 16 | (2 + middleDigit) << 8 | (2 + lastDigit * 14))
    }
}
