//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5).
package enum Base64URL {
    /// Encodes bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        Base64.append(bytes, to: &digits)
        let urlDigits = digits.filter { $0 != UInt8(ascii: "=") }.map { replace($0, "+", "-", "/", "_") }
        return String(decoding: urlDigits, as: UTF8.self)
    }

    /// Decodes digits; `nil` for any other text. Padding and the digits `+` and `/` of the standard alphabet are also
    /// accepted.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        Base64.decode(text.utf8.map { replace($0, "-", "+", "_", "/") })
    }

    /// Returns `firstResult` for the digit `first`, and `secondResult` for the digit `second`. Any other digit is
    /// returned unchanged.
    private static func replace(
        _ digit: UInt8, _ first: Unicode.Scalar, _ firstResult: Unicode.Scalar, _ second: Unicode.Scalar,
        _ secondResult: Unicode.Scalar
    ) -> UInt8 {
        if digit == UInt8(ascii: first) { return UInt8(ascii: firstResult) }
        return digit == UInt8(ascii: second) ? UInt8(ascii: secondResult) : digit
    }
}
