//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A number that compares as in Erlang: exactly, at any length.
enum JSONNumber {
    /// A 64-bit integer.
    case integer(Int64)
    /// An integer beyond 64 bits, as its decimal digits.
    case bigInteger(String)
    /// A number written with a fraction or an exponent.
    case double(Double)

    /// Whether the number is written with a fraction or an exponent.
    var isDouble: Bool {
        if case .double = self { true } else { false }
    }

    /// Returns the position of the number relative to another.
    func compare(_ other: JSONNumber) -> JSONOrder {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): JSONOrder(of: left, relativeTo: right)
        case (.double(let left), .double(let right)): Self.compare(left, right)
        case (.bigInteger(let left), .bigInteger(let right)): Self.compareDigits(left, right)
        case (.integer(let left), .double(let right)): Self.compare(left, right)
        case (.bigInteger(let left), .double(let right)): Self.compareDigits(left, right)
        case (.bigInteger(let left), .integer): left.utf8.first == .minus ? .before : .after
        case (.double, _), (.integer, .bigInteger): other.compare(self).reversed
        }
    }

    /// A value created in memory may be NaN, which sorts before all other numbers.
    private static func compare(_ left: Double, _ right: Double) -> JSONOrder {
        if left.isNaN || right.isNaN { return JSONOrder(of: left.isNaN ? 0 : 1, relativeTo: right.isNaN ? 0 : 1) }
        return JSONOrder(of: left, relativeTo: right)
    }

    private static func compare(_ left: Int64, _ right: Double) -> JSONOrder {
        if right.isNaN { return .after }
        // 2^63 and -2^63 are exact as doubles.
        if right >= 0x1p63 { return .before }
        if right < -0x1p63 { return .after }
        // Truncates the fraction. Only doubles below 2^53 have a fraction, so the conversion is exact in both
        // directions.
        let truncated = Int64(right)
        let order = JSONOrder(of: left, relativeTo: truncated)
        return order == .same ? JSONOrder(of: Double(truncated), relativeTo: right) : order
    }

    private static func compareDigits(_ left: String, _ right: String) -> JSONOrder {
        let isNegative = left.utf8.first == .minus
        if isNegative != (right.utf8.first == .minus) { return isNegative ? .before : .after }
        let lengthOrder = JSONOrder(of: left.utf8.count, relativeTo: right.utf8.count)
        // If two strings of digits have equal lengths, the strings have the same order as their values.
        let magnitudeOrder = lengthOrder == .same ? JSONOrder(of: left, relativeTo: right) : lengthOrder
        return isNegative ? magnitudeOrder.reversed : magnitudeOrder
    }

    /// Rounding to doubles preserves the order, so the digits are compared only if both numbers round to the same
    /// double.
    private static func compareDigits(_ left: String, _ right: Double) -> JSONOrder {
        let order = compare(Double(left) ?? 0, right)
        guard order == .same, right.isFinite else { return order }
        return compareDigits(left, digits(of: right))
    }

    /// Returns all decimal digits of a double from 2^52 on, which has no fraction.
    static func digits(of double: Double) -> String {
        var digits: [UInt8] = String(UInt64(double.significandBitPattern | 1 << 52)).utf8.reversed().map { $0 - 48 }
        for _ in 0..<max(0, Int(double.exponent) - 52) {
            var carry: UInt8 = 0
            for index in digits.indices {
                let doubled = digits[index] * 2 + carry
                digits[index] = doubled % 10
                carry = doubled / 10
            }
            if carry > 0 { digits.append(carry) }
        }
        return (double < 0 ? "-" : "") + digits.reversed().map(String.init).joined()
    }
}

extension UInt8 {
    fileprivate static var minus: UInt8 { UInt8(ascii: "-") }
}
