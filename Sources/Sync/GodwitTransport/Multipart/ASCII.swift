//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Names for bytes that have a meaning in headers and delimiters, and tests whether a byte belongs to a class of bytes.
extension UInt8 {
    static var tab: UInt8 { 0x09 }
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var space: UInt8 { 0x20 }
    static var quote: UInt8 { 0x22 }
    static var percent: UInt8 { 0x25 }
    static var apostrophe: UInt8 { 0x27 }
    static var comma: UInt8 { 0x2C }
    static var minus: UInt8 { 0x2D }
    static var slash: UInt8 { 0x2F }
    static var colon: UInt8 { 0x3A }
    static var semicolon: UInt8 { 0x3B }
    static var equals: UInt8 { 0x3D }
    static var backslash: UInt8 { 0x5C }

    /// Whether the byte is a space or a tab.
    var isBlank: Bool { self == .space || self == .tab }

    /// Whether the byte is a control character other than a tab. A header must not contain such a byte.
    var isControl: Bool { (self < 0x20 && self != .tab) || self == 0x7F }

    var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Whether the byte is allowed in a token of RFC 9110, section 5.6.2.
    var isToken: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension ArraySlice<UInt8> {
    /// The bytes without leading and trailing blanks.
    var trimmed: ArraySlice<UInt8> {
        var rest = drop(while: \.isBlank)
        while rest.last?.isBlank == true { rest.removeLast() }
        return rest
    }

    /// The bytes as text. If they are not valid UTF-8, all of them are decoded as ISO 8859-1, because older clients
    /// send this encoding.
    var text: String {
        if let text = String(validating: self, as: UTF8.self) { return text }
        var text = ""
        for byte in self { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    /// Whether the bytes are a token of RFC 9110, such as the name of a header or a parameter.
    var isToken: Bool { !isEmpty && allSatisfy(\.isToken) }
}
