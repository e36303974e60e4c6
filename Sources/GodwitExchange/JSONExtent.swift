//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds where a JSON value ends, in a text that comes in pieces, by brackets and quotes alone.
///
/// What lies between is checked by whoever parses it.
struct JSONExtent {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Bytes that were looked at.
    private var scanned = 0

    /// Looks at the bytes from the value's first one on, which are those of the last call and more.
    ///
    /// - Returns: How long the value is; `nil` while its end is not there.
    mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        while scanned < bytes.count {
            let byte = bytes[scanned]
            scanned += 1
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return scanned }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return scanned - 1 }
                depth -= 1
                if depth == 0 { return scanned }
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return scanned - 1 }
            default: break
            }
        }
        return nil
    }
}

extension FileWindow {
    /// How long the JSON value is that begins here; to the end of the file when that comes first.
    mutating func lengthOfJSONValue() throws(ExchangeError) -> Int {
        var extent = JSONExtent()
        while true {
            if let end = withBytes({ extent.end(in: $0) }) { return end }
            guard try more() else { return count }
        }
    }
}
