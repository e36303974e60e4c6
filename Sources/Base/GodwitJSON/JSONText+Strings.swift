//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Validation of strings: plain ASCII is scanned eight bytes at a time, and other text is scanned byte by byte.
///
/// A word of eight bytes is tested for quotes, backslashes, control characters and non-ASCII bytes in a general-purpose
/// register. For the short strings in documents, this is faster than SIMD vectors, because extracting their results
/// takes more time than they save.
extension JSONText {
    /// Scans the string whose opening quote is at `start`.
    ///
    /// - Returns: The offset after its closing quote.
    @inline(__always)
    func endOfString(from start: Int, traits: inout JSONStringTraits) throws(JSONError) -> Int {
        let offset = skippingPlainASCII(from: start &+ 1)
        if offset < count, self[offset] == .quote { return offset &+ 1 }
        return try endOfUnusualString(from: offset, traits: &traits)
    }

    /// Returns the first offset from `start` that has a quote, a backslash, a control character or a non-ASCII byte, or
    /// ``count``.
    @inline(__always)
    func skippingPlainASCII(from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= count {
            let word = word(at: offset)
            let marks = (Self.escapeMarks(in: word) | word) & Self.topBits
            if marks != 0 { return offset &+ marks.trailingZeroBitCount >> 3 }
            offset &+= 8
        }
        while offset < count, self[offset].isPlainASCII {
            offset &+= 1
        }
        return offset
    }

    /// Returns the first offset from `start` that has a quote, a backslash or a control character, or ``count``.
    func skippingUnescaped(from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= count {
            let word = word(at: offset)
            let marks = Self.escapeMarks(in: word) & ~word & Self.topBits
            if marks != 0 { return offset &+ marks.trailingZeroBitCount >> 3 }
            offset &+= 8
        }
        while offset < count, self[offset].isPlainASCII || self[offset] >= 0x80 {
            offset &+= 1
        }
        return offset
    }

    /// Returns the first offset from `start` that has a byte beyond ASCII, or ``count``.
    @inline(__always)
    func skippingASCII(from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= count {
            let marks = word(at: offset) & Self.topBits
            if marks != 0 { return offset &+ marks.trailingZeroBitCount >> 3 }
            offset &+= 8
        }
        while offset < count, self[offset] < 0x80 { offset &+= 1 }
        return offset
    }

    /// Returns the same offset as ``skippingASCII(from:)``. This function is faster for long runs of ASCII.
    @inline(__always)
    func skippingLongASCII(from start: Int) -> Int {
        var offset = start
        while offset &+ 32 <= count {
            let words =
                word(at: offset) | word(at: offset &+ 8) | word(at: offset &+ 16) | word(at: offset &+ 24)
            guard words & Self.topBits == 0 else { break }
            offset &+= 32
        }
        return skippingASCII(from: offset)
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var topBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Returns a word in which the top bits of quotes, backslashes and control characters are set.
    ///
    /// The top bits of bytes beyond ASCII may be set or not. If several top bits of ASCII bytes are set, only the
    /// lowest of them is reliable, because a borrow of the subtraction changes higher bytes.
    @inline(__always)
    private static func escapeMarks(in word: UInt64) -> UInt64 {
        let quotes = word ^ (ones &* UInt64(UInt8.quote))
        let backslashes = word ^ (ones &* UInt64(UInt8.backslash))
        let controls = word &- ones &* UInt64(UInt8.space)
        return controls | (quotes &- ones) | (backslashes &- ones)
    }

    /// Scans the rest of a string from the first byte that is not plain ASCII.
    @inline(never)
    private func endOfUnusualString(
        from start: Int,
        traits: inout JSONStringTraits
    ) throws(JSONError) -> Int {
        var offset = start
        while offset < count {
            let byte = self[offset]
            if byte >= 0x80 {
                traits.insert(.nonASCII)
                offset = try endOfSequence(from: offset)
                continue
            }
            if byte == .quote { return offset &+ 1 }
            if byte == .backslash {
                traits.insert(.escaped)
                offset = try endOfEscape(from: offset)
            } else if byte < .space {
                throw JSONError(.syntax, at: offset, "expected control characters in a string to be escaped")
            }
            offset = skippingPlainASCII(from: offset)
        }
        throw JSONError(.unexpectedEnd, at: count, "expected the end of a string")
    }

    /// Scans one code point of two to four bytes.
    @inline(__always)
    func endOfSequence(from start: Int) throws(JSONError) -> Int {
        let lead = self[start]
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard lead >= 0xC2, lead <= 0xF4, start &+ length <= count, isSecond(self[start &+ 1], after: lead)
        else { throw invalidSequence(at: start) }
        for offset in start &+ 2..<start &+ length where self[offset] & 0xC0 != 0x80 {
            throw invalidSequence(at: start)
        }
        return start &+ length
    }

    /// Whether a second byte is valid after its lead byte (table 3-7 of the Unicode standard).
    @inline(__always)
    private func isSecond(_ byte: UInt8, after lead: UInt8) -> Bool {
        switch lead {
        case 0xE0: byte >= 0xA0 && byte <= 0xBF
        case 0xED: byte >= 0x80 && byte <= 0x9F
        case 0xF0: byte >= 0x90 && byte <= 0xBF
        case 0xF4: byte >= 0x80 && byte <= 0x8F
        default: byte & 0xC0 == 0x80
        }
    }

    @inline(never)
    private func invalidSequence(at offset: Int) -> JSONError {
        JSONError(.invalidUTF8, at: offset, "expected valid UTF-8")
    }
}

extension UInt8 {
    @inline(__always)
    var isPlainASCII: Bool { self >= .space && self < 0x80 && self != .quote && self != .backslash }
}
