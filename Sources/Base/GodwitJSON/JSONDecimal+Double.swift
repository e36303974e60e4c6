//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Conversion of a decimal number to the nearest double.
///
/// There are three methods. The cheaper methods are tried first:
///
/// 1. Numbers up to 2^53 and powers of ten up to 10^22 are exact as doubles. Therefore, one multiplication or division
///    of two such doubles rounds only once (Clinger, "How to Read Floating Point Numbers Accurately", 1990).
/// 2. A number of up to nineteen digits, divided by a power of ten that fits into 64 bits, needs one integer division.
///    Coordinates usually have this form.
/// 3. All other numbers are parsed by the standard library.
extension JSONDecimal {
    /// Returns the nearest double, or an infinity when the number is beyond the finite doubles.
    ///
    /// - Parameters:
    ///   - text: The text that the number was read from.
    ///   - range: The number's range of bytes in the text.
    func double(in text: JSONText, range: Range<Int>) -> Double {
        if digits == 0, isExact { return isNegative ? -0.0 : 0.0 }
        if isExact, let magnitude = productOfDoubles() ?? quotientOfIntegers() {
            return isNegative ? -magnitude : magnitude
        }
        let bytes = UnsafeRawBufferPointer(start: text.base + range.lowerBound, count: range.count)
        let written = Double(String(decoding: bytes, as: UTF8.self))
        return written ?? (isNegative ? -.infinity : .infinity)
    }

    /// Whether the nearest double is finite.
    func isFinite(in text: JSONText, range: Range<Int>) -> Bool {
        if digits == 0 { return true }
        if exponent < Self.exponentFinite { return true }
        if exponent > Self.exponentInfinite { return false }
        return double(in: text, range: range).isFinite
    }

    /// A number of up to nineteen digits with an exponent up to this value is finite as a double.
    private static let exponentFinite = 288
    /// A number that is not zero is greater than all finite doubles if its exponent is at least this value.
    private static let exponentInfinite = 309

    @inline(__always)
    private func productOfDoubles() -> Double? {
        guard digits <= 1 << 53, abs(exponent) <= 22 else { return nil }
        let power = Self.powersAsDoubles[abs(exponent)]
        return exponent < 0 ? Double(digits) / power : Double(digits) * power
    }

    /// Returns `digits` / 10^-`exponent`, rounded once; `nil` when the exponent is not from -19 to -1, or ``digits`` is
    /// 0.
    ///
    /// The quotient is computed with at least 63 bits. Its lowest bit is set when the division leaves a remainder, so
    /// that the conversion to a double rounds correctly.
    @inline(__always)
    private func quotientOfIntegers() -> Double? {
        guard exponent < 0, exponent >= -19, digits != 0 else { return nil }
        let divisor = Self.powersAsIntegers[-exponent]
        let divisorShift = divisor.leadingZeroBitCount
        let digitsShift = digits.leadingZeroBitCount
        let numerator = (digits << UInt64(digitsShift))
        let (quotient, remainder) = (divisor << UInt64(divisorShift)).dividingFullWidth(
            (numerator >> 1, numerator << 63)
        )
        let rounded = Double(remainder == 0 ? quotient : quotient | 1)
        return Double(sign: .plus, exponent: divisorShift - digitsShift - 63, significand: rounded)
    }

    private static let powersAsDoubles: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    private static let powersAsIntegers: [UInt64] = (0...19).map { exponent in
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}
