//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Integers as they are written.
enum JSONInteger {
    /// The integer that digits stand for, or `nil` beyond 64 bits.
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
