//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds the end of a JSON value in a text that arrives in pieces. The scan only counts brackets and detects quotes and
/// separators.
///
/// The value is not validated here, but later when it is parsed.
struct JSONExtent {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The number of bytes that were scanned so far.
    private var scannedCount = 0

    /// Scans the bytes of a value. At each call, `bytes` must begin with the first byte of the value, and must contain
    /// all bytes of the previous call, followed by more bytes.
    ///
    /// - Returns: The length of the value; `nil` when the bytes do not contain its end. 0 when the bytes start with a
    ///   separator or a closing bracket.
    mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        while scannedCount < bytes.count {
            let byte = bytes[scannedCount]
            scannedCount += 1
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return scannedCount }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return scannedCount - 1 }
                depth -= 1
                if depth == 0 { return scannedCount }
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return scannedCount - 1 }
            default: break
            }
        }
        return nil
    }
}

extension FileWindow {
    /// Returns the length of the next JSON value. If the file ends before the value does, returns the number of
    /// remaining bytes.
    mutating func lengthOfJSONValue() throws(ExchangeError) -> Int {
        var extent = JSONExtent()
        while true {
            if let end = withBytes({ extent.end(in: $0) }) { return end }
            guard try more() else { return count }
        }
    }
}
