//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads the code points of a text in UTF-8. Marks that a contraction has passed over come before the rest of the text.
struct ScalarReader {
    private let text: UnsafeRawBufferPointer
    private var offset = 0
    private var passed: ContiguousArray<UInt32> = []

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    /// Returns the next character if it and the character after it are of ASCII: no contraction consists of these alone.
    @inline(__always)
    mutating func nextWithinASCII() -> UInt8? {
        guard offset < text.count, case let byte = text[offset], byte < 0x80, passed.isEmpty,
            offset + 1 == text.count || text[offset + 1] < 0x80
        else { return nil }
        offset += 1
        return byte
    }

    /// Returns the next code point; `nil` at the end. A character that is cut off is U+FFFD.
    @inline(__always)
    mutating func next() -> UInt32? {
        guard passed.isEmpty else { return passed.removeFirst() }
        guard offset < text.count else { return nil }
        let first = UInt32(text[offset])
        guard first >= 0x80 else {
            offset += 1
            return first
        }
        let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard text.count - offset >= count else {
            offset = text.count
            return 0xFFFD
        }
        var point = first & (0x7F >> UInt32(count))
        for position in offset + 1..<offset + count { point = point << 6 | UInt32(text[position]) & 0x3F }
        offset += count
        return point
    }

    /// Reads the longest contraction that begins with a character that was read.
    ///
    /// As UTS #10 says (S2.1), marks may be between its characters that do not block the next mark; they remain.
    ///
    /// - Returns: Its elements; `nil` if there is no contraction, and nothing was read.
    mutating func contraction(beginningWith point: UInt32, in table: CollationTable) -> CollationTable.Elements? {
        var points = Contraction(beginningWith: point)
        var found: CollationTable.Elements?
        var ahead = self
        var unmatched: UInt32?
        while let point = ahead.next() {
            guard let longer = points.with(point), let elements = table.elements(of: longer) else {
                unmatched = point
                break
            }
            (points, found) = (longer, elements)
            self = ahead
        }
        guard let unmatched, CombiningClass.first(of: unmatched) != 0 else { return found }
        var skipped: ContiguousArray<UInt32> = [unmatched]
        var blocking = CombiningClass.last(of: unmatched)
        while let mark = ahead.next(), case let markClass = CombiningClass.first(of: mark), markClass != 0 {
            if blocking < markClass, let longer = points.with(mark), let elements = table.elements(of: longer) {
                (points, found) = (longer, elements)
                self = ahead
                passed.insert(contentsOf: skipped, at: 0)
            } else {
                skipped.append(mark)
                blocking = CombiningClass.last(of: mark)
            }
        }
        return found
    }
}

/// The canonical combining classes of a character's decomposition.
private enum CombiningClass {
    /// The class of the first character of the decomposition. Only four marks consist of marks.
    static func first(of point: UInt32) -> UInt8 {
        switch point {
        case ..<0x300: 0
        case 0x344: 230
        case 0xF73, 0xF75, 0xF81: 129
        default: Unicode.Scalar(point)?.properties.canonicalCombiningClass.rawValue ?? 0
        }
    }

    /// The class of the last character of the decomposition.
    static func last(of point: UInt32) -> UInt8 {
        switch point {
        case 0xF73, 0xF81: 130
        case 0xF75: 132
        default: first(of: point)
        }
    }
}
