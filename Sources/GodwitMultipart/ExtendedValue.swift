//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parameter's value with its character set: `UTF-8''na%C3%AFve` (RFC 5987, now RFC 8187).
enum ExtendedValue {
    /// The text that a value stands for.
    ///
    /// - Returns: `nil` when it is malformed, its character set is neither UTF-8 nor ISO 8859-1, or its bytes are not
    ///   of it.
    static func decoded(_ value: String) -> String? {
        let pieces = Array(value.utf8).split(separator: .apostrophe, maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, let bytes = percentDecoded(pieces[2]) else { return nil }
        switch pieces[0].text.lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            var text = ""
            for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            return text
        default: return nil
        }
    }

    /// The value for a text, in UTF-8 and with every byte escaped that is no letter, digit or one of `-._~`.
    static func encoded(_ text: String) -> String {
        var bytes = Array("UTF-8''".utf8)
        for byte in text.utf8 {
            if byte.isAlphanumeric || "-._~".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [.percent, hexadecimalDigit(byte >> 4), hexadecimalDigit(byte & 15)]
            }
        }
        return bytes[...].text
    }

    private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == .percent else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
