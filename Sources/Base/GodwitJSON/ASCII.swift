//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Names for the bytes that have a meaning in JSON's grammar.
extension UInt8 {
    @inline(__always) static var quote: UInt8 { 0x22 }
    @inline(__always) static var backslash: UInt8 { 0x5C }
    @inline(__always) static var slash: UInt8 { 0x2F }
    @inline(__always) static var comma: UInt8 { 0x2C }
    @inline(__always) static var colon: UInt8 { 0x3A }
    @inline(__always) static var openBrace: UInt8 { 0x7B }
    @inline(__always) static var closeBrace: UInt8 { 0x7D }
    @inline(__always) static var openBracket: UInt8 { 0x5B }
    @inline(__always) static var closeBracket: UInt8 { 0x5D }
    @inline(__always) static var minus: UInt8 { 0x2D }
    @inline(__always) static var plus: UInt8 { 0x2B }
    @inline(__always) static var point: UInt8 { 0x2E }
    @inline(__always) static var underscore: UInt8 { 0x5F }
    @inline(__always) static var zero: UInt8 { 0x30 }
    @inline(__always) static var space: UInt8 { 0x20 }
    @inline(__always) static var tab: UInt8 { 0x09 }
    @inline(__always) static var lineFeed: UInt8 { 0x0A }
    @inline(__always) static var carriageReturn: UInt8 { 0x0D }

    /// The byte of an ASCII letter.
    @inline(__always)
    static func letter(_ scalar: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: scalar.value) }

    @inline(__always) var isDigit: Bool { self &- .zero < 10 }

    @inline(__always) var isExponentMark: Bool { self | 0x20 == .letter("e") }

    @inline(__always)
    var isSpace: Bool {
        self == .space || self == .lineFeed || self == .carriageReturn || self == .tab
    }

    /// The value of the byte as a hexadecimal digit; `nil` when the byte is not one of `0-9`, `a-f` and `A-F`.
    @inline(__always)
    var hexValue: UInt32? {
        if isDigit { return UInt32(self &- .zero) }
        let lower = self | 0x20
        guard lower >= .letter("a"), lower <= .letter("f") else { return nil }
        return UInt32(lower &- .letter("a")) + 10
    }
}
