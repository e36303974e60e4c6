//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An e-mail address.
public struct MailAddress: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of an address, in bytes (RFC 5321, section 4.5.3).
    public static let bytesMax = 254

    /// The address, for example `ann@example.org`.
    public let description: String

    /// Parses an address. It must consist of printable ASCII characters without spaces, quotes and angle brackets, and
    /// must contain one `@`. Addresses with other characters are not supported.
    ///
    /// - Returns: `nil` when the text is not such an address.
    public init?(_ text: String) {
        let parts = text.pieces(at: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= 64, text.utf8.count <= MailAddress.bytesMax,
            parts[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"(),:;<>[\\]".utf8.contains($0) }),
            MailAddress.isDomain(parts[1])
        else { return nil }
        description = text
    }

    /// The form by which accounts are found: in lower case.
    public var key: String { description.lowercased() }

    private static func isDomain(_ text: Substring) -> Bool {
        let labels = text.pieces(at: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.utf8.first != UInt8(ascii: "-")
                && label.utf8.last != UInt8(ascii: "-")
                && label.utf8.allSatisfy { byte in
                    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "-")
                }
        }
    }
}
