//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5).
enum Base64URL {
    private static let safeDigits = [UInt8(ascii: "+"): UInt8(ascii: "-"), UInt8(ascii: "/"): UInt8(ascii: "_")]
    private static let plainDigits = [UInt8(ascii: "-"): UInt8(ascii: "+"), UInt8(ascii: "_"): UInt8(ascii: "/")]

    static func encode(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        Base64.append(bytes, to: &digits)
        let safe = digits.filter { $0 != UInt8(ascii: "=") }.map { safeDigits[$0] ?? $0 }
        return String(decoding: safe, as: UTF8.self)
    }

    /// The bytes; `nil` when there is anything else than digits.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        Base64.decode(text.utf8.map { plainDigits[$0] ?? $0 })
    }
}
