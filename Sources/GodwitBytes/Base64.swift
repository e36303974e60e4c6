//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Base64 in the form of JSON documents' attachments (RFC 4648, section 4), over bytes.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// Decodes digits, padded or not; `nil` for any other text.
    package static func decode(_ digits: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 3)
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        for digit in digits {
            if digit == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            let value = values[Int(digit)]
            guard value != 0xff, padding == 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count.isMultiple(of: 4) {
                bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        guard padding <= 2, padding == 0 || (count + padding).isMultiple(of: 4) else { return nil }
        switch count % 4 {
        case 0: break
        case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return nil
        }
        return bytes
    }

    /// Appends the padded digits of bytes.
    package static func append(_ bytes: ArraySlice<UInt8>, to digits: inout [UInt8]) {
        // An empty array without capacity is shared by all threads, and the standard library would still write its
        // count.
        guard !bytes.isEmpty else { return }
        let encoded = [UInt8](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { buffer, count in
            bytes.withUnsafeBufferPointer { bytes in
                alphabet.withUnsafeBufferPointer { alphabet in encode(bytes, with: alphabet, into: buffer) }
            }
            count = (bytes.count + 2) / 3 * 4
        }
        if digits.isEmpty { digits = encoded } else { digits += encoded }
    }

    /// Appends the padded digits of bytes.
    package static func append(_ bytes: [UInt8], to digits: inout [UInt8]) { append(bytes[...], to: &digits) }

    private static func encode(
        _ bytes: UnsafeBufferPointer<UInt8>, with alphabet: UnsafeBufferPointer<UInt8>,
        into digits: UnsafeMutableBufferPointer<UInt8>
    ) {
        var next = 0
        for position in stride(from: 0, to: bytes.count, by: 3) {
            let left = bytes.count - position
            let bits =
                UInt32(bytes[position]) << 16 | (left > 1 ? UInt32(bytes[position + 1]) << 8 : 0)
                | (left > 2 ? UInt32(bytes[position + 2]) : 0)
            digits[next] = alphabet[Int(bits >> 18)]
            digits[next + 1] = alphabet[Int(bits >> 12 & 63)]
            digits[next + 2] = left > 1 ? alphabet[Int(bits >> 6 & 63)] : UInt8(ascii: "=")
            digits[next + 3] = left > 2 ? alphabet[Int(bits & 63)] : UInt8(ascii: "=")
            next += 4
        }
    }
}
