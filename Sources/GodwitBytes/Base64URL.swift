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
        let safe = digits.filter { $0 != UInt8(ascii: "=") }.map { exchange($0, "+", "-", "/", "_") }
        return String(decoding: safe, as: UTF8.self)
    }

    /// Decodes digits; `nil` for any other text. Padding and the digits `+` and `/` of the other alphabet are accepted
    /// too.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        Base64.decode(text.utf8.map { exchange($0, "-", "+", "_", "/") })
    }

    /// Replaces `first` by `one` and `second` by `other`.
    private static func exchange(
        _ digit: UInt8, _ first: Unicode.Scalar, _ one: Unicode.Scalar, _ second: Unicode.Scalar,
        _ other: Unicode.Scalar
    ) -> UInt8 {
        digit == UInt8(ascii: first) ? UInt8(ascii: one) : digit == UInt8(ascii: second) ? UInt8(ascii: other) : digit
    }
}
