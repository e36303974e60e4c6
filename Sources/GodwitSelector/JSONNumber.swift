//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A number as Erlang compares it: exactly, whatever its length.
enum JSONNumber {
    /// An integer of 64 bits.
    case integer(Int64)
    /// An integer beyond 64 bits, as it is written.
    case bigInteger(String)
    /// A number that is written with a fraction or an exponent.
    case double(Double)

    /// Whether it is written with a fraction or an exponent.
    var isDouble: Bool {
        if case .double = self { true } else { false }
    }

    /// Where the number stands relative to another.
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

    /// A value made in memory may be no number: it counts as the least one.
    private static func compare(_ left: Double, _ right: Double) -> JSONOrder {
        if left.isNaN || right.isNaN { return JSONOrder(of: left.isNaN ? 0 : 1, relativeTo: right.isNaN ? 0 : 1) }
        return JSONOrder(of: left, relativeTo: right)
    }

    private static func compare(_ left: Int64, _ right: Double) -> JSONOrder {
        if right.isNaN { return .after }
        // 2^63 and -2^63 are doubles.
        if right >= 0x1p63 { return .before }
        if right < -0x1p63 { return .after }
        // Without its fraction, which only doubles below 2^53 have: exact in both directions.
        let whole = Int64(right)
        let order = JSONOrder(of: left, relativeTo: whole)
        return order == .same ? JSONOrder(of: Double(whole), relativeTo: right) : order
    }

    private static func compareDigits(_ left: String, _ right: String) -> JSONOrder {
        let isNegative = left.utf8.first == .minus
        if isNegative != (right.utf8.first == .minus) { return isNegative ? .before : .after }
        let lengths = JSONOrder(of: left.utf8.count, relativeTo: right.utf8.count)
        // Digits alone, and of one length: their order as texts is that of their values.
        let magnitudes = lengths == .same ? JSONOrder(of: left, relativeTo: right) : lengths
        return isNegative ? magnitudes.reversed : magnitudes
    }

    /// Rounding keeps the order, so digits are needed only where both are the same double.
    private static func compareDigits(_ left: String, _ right: Double) -> JSONOrder {
        let order = compare(Double(left) ?? 0, right)
        guard order == .same, right.isFinite else { return order }
        return compareDigits(left, digits(of: right))
    }

    /// All decimal digits of a double without fraction.
    static func digits(of double: Double) -> String {
        var digits: [UInt8] = String(UInt64(double.significandBitPattern | 1 << 52)).utf8.reversed().map { $0 - 48 }
        for _ in 0..<max(0, Int(double.exponent) - 52) {
            var carry: UInt8 = 0
            for position in digits.indices {
                let doubled = digits[position] * 2 + carry
                digits[position] = doubled % 10
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
