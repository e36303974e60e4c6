//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
        append(hexadecimalDigits[Int(byte >> 4)])
        append(hexadecimalDigits[Int(byte & 15)])
    }

    /// Appends a number as sixteen lower-case hexadecimal digits.
    package mutating func appendHexadecimal(_ word: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digits in
            for place in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - place * 4)) & 15
                digits[place] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
            }
            append(contentsOf: digits)
        }
    }

    /// The bytes that an even number of hexadecimal digits names; `nil` when it is something else.
    package init?(hexadecimal digits: some Collection<UInt8>) {
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = hexadecimalValue(digit) else { return nil }
            if let first = high {
                append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
    }
}

private let hexadecimalDigits = Array("0123456789abcdef".utf8)

/// The value of a hexadecimal digit of either case.
package func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
