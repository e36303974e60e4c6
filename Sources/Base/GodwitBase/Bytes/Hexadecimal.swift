//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Encodes and decodes hexadecimal digits in buffers of the caller, so that no copy of a key remains in memory.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Decodes digits of either case into a buffer of half their length.
    ///
    /// - Returns: Whether the text consists of exactly the needed number of digits. If it is `false`, the content of
    ///   the buffer is undefined.
    package static func decode(_ text: some Collection<UInt8>, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        guard text.count == 2 * bytes.count else { return false }
        var digitIndex = 0
        for character in text {
            guard let digit = value(of: character) else { return false }
            bytes[digitIndex / 2] = bytes[digitIndex / 2] << 4 | digit
            digitIndex += 1
        }
        return true
    }

    /// Encodes bytes as lower-case digits into a buffer. The caller must ensure that the length of the buffer is twice
    /// the number of bytes.
    package static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        for (byteIndex, byte) in bytes.enumerated() {
            text[2 * byteIndex] = digit(byte >> 4)
            text[2 * byteIndex + 1] = digit(byte & 15)
        }
    }

    /// The value of a digit of either case; `nil` for any other character.
    package static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The lower-case digit of a value below 16.
    static func digit(_ value: UInt8) -> UInt8 { digits[Int(value)] }
}

extension Sequence<UInt8> {
    /// The bytes as lower-case hexadecimal digits.
    package var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(underestimatedCount * 2)
        for byte in self { digits.appendHexadecimal(byte) }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends one byte as two lower-case hexadecimal digits.
    package mutating func appendHexadecimal(_ byte: UInt8) {
        append(Hexadecimal.digit(byte >> 4))
        append(Hexadecimal.digit(byte & 15))
    }

    /// Appends a number as sixteen lower-case hexadecimal digits.
    package mutating func appendHexadecimal(_ word: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digits in
            for digitIndex in 0..<16 {
                let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - digitIndex * 4)) & 15
                digits[digitIndex] = value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
            }
            append(contentsOf: digits)
        }
    }

    /// Decodes an even number of hexadecimal digits of either case; `nil` for any other text.
    package init?(hexadecimal digits: some Collection<UInt8>) {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes = [UInt8](repeating: 0, count: digits.count / 2)
        guard bytes.withUnsafeMutableBytes({ Hexadecimal.decode(digits, into: $0) }) else { return nil }
        self = bytes
    }

    /// Decodes exactly `2 * count` hexadecimal digits of either case; `nil` for any other text.
    package init?(hexadecimal text: String, count: Int) {
        guard text.utf8.count == 2 * count else { return nil }
        self.init(hexadecimal: text.utf8)
    }
}
