//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension JSONNumber {
    /// Returns the remainder of an integer division, with the sign of the dividend, as Erlang's `rem` does.
    ///
    /// - Parameter divisor: The divisor, which must not be 0.
    /// - Returns: `nil` for a double, even if it has no fraction.
    func remainder(dividingBy divisor: Int64) -> Int64? {
        switch self {
        case .double: nil
        case .integer(let integer): integer.remainderReportingOverflow(dividingBy: divisor).partialValue
        case .bigInteger(let digits): Self.remainder(of: digits, dividingBy: divisor)
        }
    }

    private static func remainder(of digits: String, dividingBy divisor: Int64) -> Int64 {
        let magnitude = UInt128(divisor.magnitude)
        let isNegative = digits.utf8.first == UInt8(ascii: "-")
        var remainder: UInt128 = 0
        for digit in digits.utf8.dropFirst(isNegative ? 1 : 0) {
            remainder = (remainder * 10 + UInt128(digit - UInt8(ascii: "0"))) % magnitude
        }
        // The remainder is less than 2^63, since the divisor's magnitude is at most 2^63.
        return isNegative ? -Int64(remainder) : Int64(remainder)
    }
}
