//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Arithmetic with numbers from requests, stored documents, files and peers. It never ends the process: a result that
/// cannot be represented is replaced by the nearest one that can.
extension FixedWidthInteger {
    /// The sum, or the nearest representable number.
    package func addingSaturated(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }

    /// The difference, or the nearest representable number.
    package func subtractingSaturated(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        guard overflow else { return difference }
        return other < 0 || self > other ? .max : .min
    }

    /// The product, or the nearest representable number.
    package func multipliedSaturated(by other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        guard overflow else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }

    /// The integral part of a number, or the nearest representable number. The result is 0 if `number` is not a number.
    package init(saturating number: Double) {
        let integralPart = number.rounded(.towardZero)
        if let exact = Self(exactly: integralPart) {
            self = exact
        } else if integralPart.isNaN {
            self = 0
        } else {
            self = integralPart < 0 ? .min : .max
        }
    }
}
