//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Hexadecimal digits, read and written without copies of a secret on the way.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Reads digits of either case into memory of half their number of bytes.
    ///
    /// - Returns: Whether there were as many digits as needed, and nothing else.
    static func decode(_ text: some Collection<UInt8>, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        guard text.count == 2 * bytes.count else { return false }
        var position = 0
        for character in text {
            guard let digit = value(character) else { return false }
            bytes[position / 2] = bytes[position / 2] << 4 | digit
            position += 1
        }
        return true
    }

    /// Writes digits of small letters into memory of twice the number of bytes.
    static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        for (position, byte) in bytes.enumerated() {
            text[2 * position] = digits[Int(byte >> 4)]
            text[2 * position + 1] = digits[Int(byte & 15)]
        }
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension [UInt8] {
    /// The bytes that so many hexadecimal digits stand for; `nil` for any other text.
    init?(hexadecimal text: String, count: Int) {
        var bytes = [UInt8](repeating: 0, count: count)
        guard bytes.withUnsafeMutableBytes({ Hexadecimal.decode(text.utf8, into: $0) }) else { return nil }
        self = bytes
    }

    var hexadecimal: String {
        var text = [UInt8](repeating: 0, count: 2 * count)
        withUnsafeBytes { bytes in text.withUnsafeMutableBytes { Hexadecimal.encode(bytes, into: $0) } }
        return String(decoding: text, as: UTF8.self)
    }
}
