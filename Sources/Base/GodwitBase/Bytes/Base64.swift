//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Base64 with the standard alphabet (RFC 4648, section 4), in which JSON documents contain attachments. The digits are
/// bytes, not characters of a text.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each digit; 0xff for a byte that is not a digit.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// Decodes digits, padded or not; `nil` for any other text. Unused bits of the last digit are ignored.
    package static func decode(_ digits: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 3)
        var bits: UInt32 = 0
        var digitCount = 0
        var paddingCount = 0
        for digit in digits {
            if digit == UInt8(ascii: "=") {
                paddingCount += 1
                continue
            }
            let value = values[Int(digit)]
            guard value != 0xff, paddingCount == 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            digitCount += 1
            if digitCount.isMultiple(of: 4) {
                bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        guard paddingCount <= 2, paddingCount == 0 || (digitCount + paddingCount).isMultiple(of: 4) else { return nil }
        switch digitCount % 4 {
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
        // All empty arrays without capacity share one object. The initializer below would write the count of this
        // object, which would be a data race.
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
        var digitIndex = 0
        for byteIndex in stride(from: 0, to: bytes.count, by: 3) {
            let remainingCount = bytes.count - byteIndex
            let bits =
                UInt32(bytes[byteIndex]) << 16 | (remainingCount > 1 ? UInt32(bytes[byteIndex + 1]) << 8 : 0)
                | (remainingCount > 2 ? UInt32(bytes[byteIndex + 2]) : 0)
            digits[digitIndex] = alphabet[Int(bits >> 18)]
            digits[digitIndex + 1] = alphabet[Int(bits >> 12 & 63)]
            digits[digitIndex + 2] = remainingCount > 1 ? alphabet[Int(bits >> 6 & 63)] : UInt8(ascii: "=")
            digits[digitIndex + 3] = remainingCount > 2 ? alphabet[Int(bits & 63)] : UInt8(ascii: "=")
            digitIndex += 4
        }
    }
}
