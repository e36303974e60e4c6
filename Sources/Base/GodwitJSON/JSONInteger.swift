//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Parses the digits of integers.
enum JSONInteger {
    /// Returns the integer with the given digits, which may follow a minus sign; `nil` when the integer does not fit
    /// into 64 bits.
    @inline(__always)
    static func parse(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64? {
        let isNegative = digits.first == .minus
        var value: Int64 = 0
        for byte in isNegative ? digits.dropFirst() : digits {
            let (product, productOverflow) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(byte &- .zero)
            let (sum, sumOverflow) = product.addingReportingOverflow(isNegative ? -digit : digit)
            if productOverflow || sumOverflow { return nil }
            value = sum
        }
        return value
    }
}
