//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Decodes Base64 that arrives in pieces. It accepts what ``Base64/decode(_:)`` accepts.
package struct Base64Decoder {
    /// The digits that are not decoded yet.
    private var digits: [UInt8] = []

    /// Creates a decoder.
    package init() {}

    /// Decodes the next digits, except the last: these may be padded.
    ///
    /// - Returns: The decoded bytes; `nil` if the digits are not Base64.
    package mutating func append(_ newDigits: some Collection<UInt8>) -> [UInt8]? {
        digits += newDigits
        let count = max(digits.count - 1, 0) / 4 * 4
        defer { digits.removeFirst(count) }
        let head = digits.prefix(count)
        return head.last == UInt8(ascii: "=") ? nil : Base64.decode(head)
    }

    /// Decodes the last digits.
    package mutating func finish() -> [UInt8]? { Base64.decode(digits) }
}
