//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Validation of numbers and literals.
extension JSONText {
    /// Scans the number that starts at `start`.
    ///
    /// - Returns: The offset after the number.
    @inline(__always)
    func endOfNumber(from start: Int, isInteger: inout Bool) throws(JSONError) -> Int {
        let digits = self[start] == .minus ? start &+ 1 : start
        guard digits < count, self[digits].isDigit else { throw unexpected(at: digits, expected: "a digit") }
        let end = skippingDigits(from: digits)
        if self[digits] == .zero, end > digits &+ 1 {
            throw unexpected(at: digits &+ 1, expected: "no digit after a leading zero")
        }
        guard end < count, self[end] == .point || self[end].isExponentMark else { return end }
        isInteger = false
        return try endOfDouble(start: start, integerEnd: end)
    }

    /// Scans the fraction and the exponent, and checks that the double is finite.
    @inline(__always)
    private func endOfDouble(start: Int, integerEnd: Int) throws(JSONError) -> Int {
        var end = integerEnd
        if self[end] == .point {
            end = try endOfDigits(from: end &+ 1, expected: "a digit after the decimal point")
        }
        let hasExponent = end < count && self[end].isExponentMark
        if hasExponent {
            end &+= 1
            if end < count, self[end] == .plus || self[end] == .minus { end &+= 1 }
            end = try endOfDigits(from: end, expected: "a digit of an exponent")
        }
        if hasExponent || integerEnd &- start > Self.integerDigitsSafe {
            guard JSONDecimal(text: self, range: start..<end).isFinite(in: self, range: start..<end) else {
                throw JSONError(.numberOutOfRange, at: start, "expected a number within the finite doubles")
            }
        }
        return end
    }

    /// A number with up to this number of digits before its decimal point and without an exponent is finite.
    private static var integerDigitsSafe: Int { 300 }

    @inline(__always)
    private func endOfDigits(from start: Int, expected: StaticString) throws(JSONError) -> Int {
        let end = skippingDigits(from: start)
        guard end > start else { throw unexpected(at: start, expected: expected) }
        return end
    }

    /// Scans `null`, `true` or `false`.
    @inline(__always)
    func literal(at start: Int) throws(JSONError) -> (JSONKind, end: Int) {
        switch self[start] {
        case .letter("t"): (.true, try end(of: "true", at: start))
        case .letter("f"): (.false, try end(of: "false", at: start))
        case .letter("n"): (.null, try end(of: "null", at: start))
        default: throw unexpected(at: start, expected: "a value")
        }
    }

    @inline(__always)
    private func end(of word: StaticString, at start: Int) throws(JSONError) -> Int {
        for index in 0..<word.utf8CodeUnitCount {
            guard start &+ index < count, self[start &+ index] == word.utf8Start[index] else {
                throw unexpected(at: start &+ index, expected: "true, false or null")
            }
        }
        return start &+ word.utf8CodeUnitCount
    }
}
