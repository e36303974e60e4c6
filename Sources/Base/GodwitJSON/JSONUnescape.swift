//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Decodes the escapes of strings that the scanner has validated.
enum JSONUnescape {
    /// Appends the text of a string.
    ///
    /// - Parameters:
    ///   - slice: The string without its quotes. Its escapes are valid.
    ///   - output: The array to which the text is appended as UTF-8.
    static func append(_ slice: Slice<UnsafeRawBufferPointer>, to output: inout [UInt8]) {
        var offset = slice.startIndex
        while offset < slice.endIndex {
            guard slice[offset] == .backslash else {
                output.append(slice[offset])
                offset += 1
                continue
            }
            let escapedByte = slice[offset + 1]
            offset += 2
            if escapedByte == .letter("u") {
                let scalar = unicodeEscape(in: slice, at: &offset)
                output.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
            } else {
                output.append(unescapedByte(escapedByte))
            }
        }
    }

    private static func unescapedByte(_ escapedByte: UInt8) -> UInt8 {
        switch escapedByte {
        case .letter("b"): 0x08
        case .letter("f"): 0x0C
        case .letter("n"): .lineFeed
        case .letter("r"): .carriageReturn
        case .letter("t"): .tab
        default: escapedByte
        }
    }

    private static func unicodeEscape(
        in slice: Slice<UnsafeRawBufferPointer>,
        at offset: inout Int
    ) -> Unicode.Scalar {
        let first = hexQuad(in: slice, at: &offset)
        guard first & 0xF800 == 0xD800 else { return Unicode.Scalar(first).unsafelyUnwrapped }
        offset += 2
        let second = hexQuad(in: slice, at: &offset)
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF).unsafelyUnwrapped
    }

    private static func hexQuad(in slice: Slice<UnsafeRawBufferPointer>, at offset: inout Int) -> UInt32 {
        var value: UInt32 = 0
        for digit in slice[offset..<offset + 4] {
            value = value << 4 | (digit.hexValue ?? 0)
        }
        offset += 4
        return value
    }
}
