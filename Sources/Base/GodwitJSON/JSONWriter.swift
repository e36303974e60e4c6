//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Writes JSON as bytes.
package enum JSONWriter {
    /// Appends a string in quotes, with the shortest escapes, as in RFC 8785.
    package static func appendQuoted(_ string: String, to output: inout [UInt8]) {
        var string = string
        string.withUTF8 { appendQuoted(utf8: UnsafeRawBufferPointer($0), to: &output) }
    }

    /// Appends text in quotes, with the shortest escapes, as in RFC 8785.
    ///
    /// - Parameters:
    ///   - text: Valid UTF-8.
    ///   - output: The array to which the bytes are appended.
    package static func appendQuoted(utf8 text: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        output.append(.quote)
        if let base = text.baseAddress, text.count > 0 {
            let text = JSONText(base: base, count: text.count)
            var start = 0
            while start < text.count {
                let end = text.skippingUnescaped(from: start)
                output.append(contentsOf: UnsafeRawBufferPointer(start: base + start, count: end - start))
                if end < text.count { appendEscape(of: text[end], to: &output) }
                start = end + 1
            }
        }
        output.append(.quote)
    }

    /// Appends an integer.
    package static func append(_ integer: Int, to output: inout [UInt8]) {
        if integer < 0 { output.append(.minus) }
        append(UInt64(integer.magnitude), to: &output)
    }

    /// Appends an integer that is not negative.
    package static func append(_ integer: UInt64, to output: inout [UInt8]) {
        let start = output.count
        var rest = integer
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            output.append(.zero &+ UInt8(truncatingIfNeeded: digit))
            rest = quotient
        } while rest != 0
        output[start...].reverse()
    }

    /// Appends a double with the fewest digits that read back as the same double. Integral values below 2^54 end in
    /// `.0`, and larger values have an exponent.
    ///
    /// Infinities and NaN are written as `null`, because JSON cannot express them.
    package static func append(_ double: Double, to output: inout [UInt8]) {
        guard double.isFinite else { return output.append(contentsOf: "null".utf8) }
        output.append(contentsOf: double.description.utf8)
    }

    private static func appendEscape(of byte: UInt8, to output: inout [UInt8]) {
        output.append(.backslash)
        switch byte {
        case .quote, .backslash: output.append(byte)
        case 0x08: output.append(.letter("b"))
        case 0x0C: output.append(.letter("f"))
        case .lineFeed: output.append(.letter("n"))
        case .carriageReturn: output.append(.letter("r"))
        case .tab: output.append(.letter("t"))
        default:
            output.append(contentsOf: "u00".utf8)
            output.append(.zero + byte >> 4)
            output.append(hexDigit(byte & 0xF))
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? .zero + value : .letter("a") + value - 10
    }
}
