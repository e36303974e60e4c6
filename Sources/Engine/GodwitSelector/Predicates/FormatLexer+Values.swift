//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension FormatLexer {
    /// Reads a number in JSON's notation, and preserves all its digits.
    mutating func number() throws(QueryPredicateError) -> JSONValue {
        let start = offset
        while let byte = peek() {
            let isSign = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
            let isAfterExponent = offset > start && bytes[offset - 1] | 0x20 == UInt8(ascii: "e")
            guard Self.isNumberByte(byte) || isSign && (offset == start || isAfterExponent) else { break }
            offset += 1
        }
        do {
            return try JSONValue(parsing: Array(bytes[start..<offset]))
        } catch {
            throw syntax("a number as in JSON", at: start)
        }
    }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || isNameByte(byte) && byte < 0x80 && byte != UInt8(ascii: "%")
    }

    mutating func string(quote: UInt8) throws(QueryPredicateError) -> String {
        let start = offset
        offset += 1
        var scalars = String.UnicodeScalarView()
        var unescapedBytes: [UInt8] = []
        while let byte = peek(), byte != quote {
            if byte != UInt8(ascii: "\\") {
                unescapedBytes.append(byte)
                offset += 1
                continue
            }
            scalars.append(contentsOf: String(decoding: unescapedBytes, as: UTF8.self).unicodeScalars)
            unescapedBytes = []
            scalars.append(try escape())
        }
        guard peek() != nil else { throw syntax("the end of the text in quotes", at: start) }
        offset += 1
        scalars.append(contentsOf: String(decoding: unescapedBytes, as: UTF8.self).unicodeScalars)
        return String(scalars)
    }

    /// Reads an escape sequence. The backslash with which it begins is at `offset`.
    private mutating func escape() throws(QueryPredicateError) -> Unicode.Scalar {
        let start = offset
        defer { offset += 2 }
        switch peek(1) {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        // The backslash is an escape character both in the strings of a format and in the patterns of LIKE and MATCHES.
        // Therefore, two backslashes in a string represent one backslash of the pattern.
        case let byte? where [UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(byte):
            return Unicode.Scalar(byte)
        case UInt8(ascii: "u"):
            guard let first = unit(at: start + 2) else { throw syntax("four hexadecimal digits after \\u") }
            offset += 4
            if let scalar = Unicode.Scalar(first) { return scalar }
            guard let second = unit(at: start + 8), first < 0xDC00, (0xDC00...0xDFFF).contains(second),
                bytes[start + 6] == UInt8(ascii: "\\"), bytes[start + 7] == UInt8(ascii: "u"),
                let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
            else { throw syntax("both halves of a pair after \\u", at: start) }
            offset += 6
            return scalar
        default: throw syntax(#"one of ' " \ n r t u after a backslash"#)
        }
    }

    /// Returns the UTF-16 code unit of four hexadecimal digits; `nil` when there are other characters at `start`.
    private func unit(at start: Int) -> UInt16? {
        guard start + 4 <= bytes.count else { return nil }
        let digits = bytes[start..<start + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// Returns the argument of a placeholder such as `%@`.
    mutating func argument() throws(QueryPredicateError) -> FormatToken.Kind {
        let start = offset
        offset += 1
        while peek() == UInt8(ascii: "l") || peek() == UInt8(ascii: "h") || peek() == UInt8(ascii: "z") { offset += 1 }
        guard let letter = peek(), "@diufgeGEK".utf8.contains(letter) else {
            throw syntax("%@, %d, %f or %K", at: start)
        }
        offset += 1
        guard argumentCount < arguments.count else {
            throw QueryPredicateError(.arguments, "only \(arguments.count) arguments are given", at: start)
        }
        let argument = arguments[argumentCount]
        argumentCount += 1
        if letter == UInt8(ascii: "K") {
            guard let path = argument.stringValue else { throw Self.wrongArgument("a string for %K", at: start) }
            return .keyPath(path)
        }
        if "diu".utf8.contains(letter) {
            switch argument {
            case .integer, .bigInteger: break
            default: throw Self.wrongArgument("an integer for %d", at: start)
            }
        } else if letter != UInt8(ascii: "@"), argument.doubleValue == nil {
            throw Self.wrongArgument("a number for %f", at: start)
        }
        return .value(argument)
    }

    private static func wrongArgument(_ expected: String, at offset: Int) -> QueryPredicateError {
        QueryPredicateError(.arguments, "expected \(expected) as the argument", at: offset)
    }
}
