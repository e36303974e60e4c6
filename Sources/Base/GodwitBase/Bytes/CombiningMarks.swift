//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Combining marks in a row.
///
/// Unicode's normal forms sort the marks that follow a letter. The standard library, when it compares or hashes texts, and
/// ICU do this by insertion, so a text of marks costs the square of its length: minutes for a megabyte. Therefore texts from
/// outside that become `String` have at most ``rowMax`` marks in a row, and texts are ordered in ``streamSafe(_:)`` format.
package enum CombiningMarks {
    /// The largest number of marks in a row in a text of a request that is not a document. No language needs more than 30.
    package static let rowMax = 256

    /// The largest number of marks in a row in the stream-safe format of texts (UAX #15, section 13).
    private static let safeRowMax = 30

    /// U+034F COMBINING GRAPHEME JOINER: no order sees it, and no mark combines with a letter before it.
    private static let joiner: [UInt8] = [0xCD, 0x8F]

    /// Whether a text in UTF-8 has more than `countMax` marks in a row.
    package static func areMore(than countMax: Int, in text: UnsafeRawBufferPointer) -> Bool {
        // A mark has at least two bytes, which are not ASCII. So an ASCII byte at this distance ends too short a row.
        let stride = 2 * countMax
        var (offset, count) = (0, 0)
        while count <= countMax {
            if count == 0 {
                guard offset + stride < text.count else { return false }
                if text[offset + stride] < 0x80 {
                    offset += stride + 1
                    continue
                }
            }
            guard offset < text.count else { return false }
            count = isMark(scalar(of: text, at: &offset)) ? count + 1 : 0
        }
        return true
    }

    /// Whether a string in a JSON text may have more than ``rowMax`` marks in a row. Escapes of the form `\uXXXX` count
    /// as the characters that they mean.
    package static func areTooMany(inJSON text: [UInt8]) -> Bool {
        text.withUnsafeBytes { text in
            guard text.contains(UInt8(ascii: "\\")) else { return areMore(than: rowMax, in: text) }
            var (offset, count) = (0, 0)
            while offset < text.count, count <= rowMax {
                count = isMark(escapedScalar(of: text, at: &offset)) ? count + 1 : 0
            }
            return count > rowMax
        }
    }

    /// Decodes the character or the escape at an offset, and moves the offset behind it.
    private static func escapedScalar(of text: UnsafeRawBufferPointer, at offset: inout Int) -> UInt32 {
        guard let unit = escapedUnit(of: text, at: offset) else { return scalar(of: text, at: &offset) }
        offset += 6
        guard unit & 0xFC00 == 0xD800, let second = escapedUnit(of: text, at: offset), second & 0xFC00 == 0xDC00 else {
            return unit
        }
        offset += 6
        return 0x10000 + (unit & 0x3FF) << 10 + second & 0x3FF
    }

    /// The number of an escape of the form `\uXXXX`.
    private static func escapedUnit(of text: UnsafeRawBufferPointer, at offset: Int) -> UInt32? {
        guard offset + 6 <= text.count, text[offset] == UInt8(ascii: "\\"), text[offset + 1] == UInt8(ascii: "u")
        else { return nil }
        return UInt32(String(decoding: text[offset + 2..<offset + 6], as: UTF8.self), radix: 16)
    }

    /// Returns a text in stream-safe format: a joiner is between each 30 marks in a row and the next mark.
    ///
    /// - Returns: `nil` if the text is stream-safe.
    package static func streamSafe(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard areMore(than: safeRowMax, in: text) else { return nil }
        var safe: [UInt8] = []
        // Two bytes for each 30 marks, which are at least 60 bytes.
        safe.reserveCapacity(text.count + text.count / safeRowMax)
        var (offset, count) = (0, 0)
        while offset < text.count {
            let start = offset
            count = isMark(scalar(of: text, at: &offset)) ? count + 1 : 0
            if count > safeRowMax {
                safe += joiner
                count = 1
            }
            safe.append(contentsOf: text[start..<offset])
        }
        return safe
    }

    /// Whether a character is a mark, or consists of marks, as three vowel signs of Tibetan do.
    private static func isMark(_ value: UInt32) -> Bool {
        // The first mark is U+0300, and from U+3400 to U+9FFF there is none.
        guard value >= 0x300, value < 0x3400 || value >= 0xA000, let scalar = Unicode.Scalar(value)
        else { return false }
        return scalar.properties.canonicalCombiningClass != .notReordered
            || value == 0xF73 || value == 0xF75 || value == 0xF81
    }

    /// Decodes the character at an offset, and moves the offset behind it. A byte of invalid UTF-8 is U+0000.
    private static func scalar(of text: UnsafeRawBufferPointer, at offset: inout Int) -> UInt32 {
        let first = text[offset]
        offset += 1
        guard first >= 0xC2, first < 0xF5 else { return first < 0x80 ? UInt32(first) : 0 }
        let length = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
        var value = UInt32(first) & (0x3F >> UInt32(length))
        guard offset + length <= text.count else { return 0 }
        for index in offset..<offset + length {
            guard text[index] & 0xC0 == 0x80 else { return 0 }
            value = value << 6 | UInt32(text[index] & 0x3F)
        }
        offset += length
        return value
    }
}

extension StringProtocol {
    /// Whether the text has too many combining marks in a row to be compared or hashed.
    package var hasTooManyMarks: Bool {
        guard utf8.count > 2 * CombiningMarks.rowMax else { return false }
        var text = String(self)
        return text.withUTF8 { CombiningMarks.areMore(than: CombiningMarks.rowMax, in: UnsafeRawBufferPointer($0)) }
    }
}
