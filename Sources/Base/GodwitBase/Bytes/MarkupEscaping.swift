//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Escaping of text for HTML, XML and JavaScript.
///
/// All functions work on UTF-8 bytes. A Swift `Character` can be `<` together with a combining mark, or with a mark
/// before it such as U+0600. Such a character is not equal to `<`, but a browser reads a `<`. Comparing bytes finds each
/// special character, whatever is before and after it.
extension String {
    /// The text for the content of an element, or for the value of an attribute in single or double quotes.
    public var markupEscaped: String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(utf8.count)
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
