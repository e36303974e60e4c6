//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A number as it is written in decimal: ±`digits` · 10^`exponent`.
///
/// Up to nineteen significant digits are kept; `isExact` says whether that was all of them.
struct JSONDecimal {
    private(set) var isNegative = false
    /// The significant digits, leading zeros dropped.
    private(set) var digits: UInt64 = 0
    /// The power of ten that ``digits`` is multiplied with.
    private(set) var exponent = 0
    /// Whether no digit other than zero was left out.
    private(set) var isExact = true

    /// How many of the nineteen digits are taken.
    private(set) var digitCount = 0
    /// Whether the number is written with an exponent.
    private(set) var hasExponentMark = false

    private static let digitsMax = 19
    /// Written exponents beyond this change nothing any more.
    private static let exponentMax = 1_000_000_000_000

    /// Reads a number that the scanner has passed.
    init(text: JSONText, range: Range<Int>) {
        var offset = range.lowerBound
        if text[offset] == .minus {
            isNegative = true
            offset += 1
        }
        var inFraction = false
        while offset < range.upperBound {
            let byte = text[offset]
            if byte.isDigit {
                append(byte &- .zero, inFraction: inFraction)
            } else if byte == .point {
                inFraction = true
            } else {
                break
            }
            offset &+= 1
        }
        if offset < range.upperBound {
            hasExponentMark = true
            exponent += Self.exponent(in: text, range: offset + 1..<range.upperBound)
        }
    }

    @inline(__always)
    private mutating func append(_ digit: UInt8, inFraction: Bool) {
        if digitCount == Self.digitsMax {
            isExact = isExact && digit == 0
            exponent &+= inFraction ? 0 : 1
            return
        }
        digits = digits &* 10 &+ UInt64(digit)
        digitCount &+= digits == 0 ? 0 : 1
        exponent &-= inFraction ? 1 : 0
    }

    private static func exponent(in text: JSONText, range: Range<Int>) -> Int {
        var magnitude = 0
        var isNegative = false
        for offset in range {
            switch text[offset] {
            case .minus: isNegative = true
            case .plus: break
            default: magnitude = min(magnitude * 10 + Int(text[offset] &- .zero), exponentMax)
            }
        }
        return isNegative ? -magnitude : magnitude
    }

    /// Drops zeros at the end of the digits.
    mutating func trim() {
        guard digits != 0 else { return }
        while true {
            let (quotient, remainder) = digits.quotientAndRemainder(dividingBy: 10)
            guard remainder == 0 else { return }
            digits = quotient
            exponent += 1
        }
    }
}
