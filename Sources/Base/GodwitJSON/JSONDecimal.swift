//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A number in decimal: ±`digits` · 10^`exponent`.
///
/// `digits` has up to nineteen significant digits. `isExact` is `false` when a digit other than zero was dropped.
struct JSONDecimal {
    private(set) var isNegative = false
    /// The significant digits, without leading zeros.
    private(set) var digits: UInt64 = 0
    /// The exponent of the power of ten by which ``digits`` is multiplied.
    private(set) var exponent = 0
    /// Whether all dropped digits are zero.
    private(set) var isExact = true

    /// The number of significant digits in ``digits``, at most nineteen.
    private(set) var digitCount = 0
    /// Whether the number is written with an exponent.
    private(set) var hasExponentMark = false

    private static let digitsMax = 19
    /// The magnitude of a written exponent is limited to this value, because a greater magnitude would not change the
    /// result.
    private static let exponentMax = 1_000_000_000_000

    /// Reads a number that the scanner has validated.
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

    /// Removes trailing zeros from the digits, and adds their number to the exponent.
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
