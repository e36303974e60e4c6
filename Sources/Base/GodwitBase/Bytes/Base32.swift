//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Base32 without padding (RFC 4648, section 6).
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Encodes bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        var (buffer, bitCount) = (UInt32(0), 0)
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                digits.append(alphabet[Int(buffer >> bitCount & 31)])
            }
            buffer &= (1 << bitCount) - 1
        }
        if bitCount > 0 { digits.append(alphabet[Int(buffer << (5 - bitCount) & 31)]) }
        return String(decoding: digits, as: UTF8.self)
    }
}
