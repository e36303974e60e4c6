//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Splits a predicate format into tokens, and replaces placeholders by arguments.
struct FormatLexer {
    let bytes: [UInt8]
    let arguments: [JSONValue]
    var argumentCount = 0
    var offset = 0

    /// The signs. The first sign of the list that matches is used. Therefore, `<=` is listed before `<`, for example.
    private static let signs = [
        "&&", "||", "==", "=<", "=>", "!=", "<>", "<=", ">=", "=", "<", ">", "!", "(", ")", "{", "}", ",", ".",
    ].map { Array($0.utf8) }

    /// - Throws: ``QueryPredicateError`` with code ``QueryPredicateError/Code/tooLarge``.
    init(_ format: String, _ arguments: [JSONValue]) throws(QueryPredicateError) {
        guard format.utf8.count <= PredicateLimits.formatBytesMax else {
            throw QueryPredicateError(
                .tooLarge, "a format may have at most \(PredicateLimits.formatBytesMax) bytes",
                at: PredicateLimits.formatBytesMax)
        }
        bytes = Array(format.utf8)
        self.arguments = arguments
    }

    /// Returns the next token.
    mutating func next() throws(QueryPredicateError) -> FormatToken {
        while let byte = peek(), byte == 0x20 || (0x09...0x0D).contains(byte) { offset += 1 }
        let start = offset
        return FormatToken(kind: try nextKind(), offset: start)
    }

    func peek(_ distance: Int = 0) -> UInt8? {
        offset + distance < bytes.count ? bytes[offset + distance] : nil
    }

    private mutating func nextKind() throws(QueryPredicateError) -> FormatToken.Kind {
        guard let byte = peek() else { return try endToken() }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .value(.string(try string(quote: byte)))
        case UInt8(ascii: "["): return .options(try options())
        case UInt8(ascii: "#"):
            offset += 1
            guard let byte = peek(), Self.isNameByte(byte) else { throw syntax("a name after #") }
            return .name(name())
        case UInt8(ascii: "%") where peek(1) != UInt8(ascii: "%"): return try argument()
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return .value(try number())
        case _ where Self.isNameByte(byte): return .word(name())
        default: return .sign(try sign())
        }
    }

    /// Returns the token at the end. Throws an error when the format did not use all arguments.
    private func endToken() throws(QueryPredicateError) -> FormatToken.Kind {
        guard argumentCount == arguments.count else {
            throw QueryPredicateError(
                .arguments, "the format needs \(argumentCount) arguments, but \(arguments.count) are given", at: offset)
        }
        return .end
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "@"), 0x80...0xFF, UInt8(ascii: "%"):
            true
        default: false
        }
    }

    /// Reads a name. `%%` in it represents one `%`.
    private mutating func name() -> String {
        var name: [UInt8] = []
        while let byte = peek(), Self.isNameByte(byte) {
            if byte == UInt8(ascii: "%") {
                guard peek(1) == byte else { break }
                offset += 1
            }
            name.append(byte)
            offset += 1
        }
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func sign() throws(QueryPredicateError) -> String {
        guard let sign = Self.signs.first(where: { bytes[offset...].starts(with: $0) }) else {
            throw syntax("a field, a value or an operator")
        }
        offset += sign.count
        return String(decoding: sign, as: UTF8.self)
    }

    private mutating func options() throws(QueryPredicateError) -> String {
        guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: "]")) else { throw syntax("a ] for the [") }
        defer { offset = end + 1 }
        return String(decoding: bytes[(offset + 1)..<end], as: UTF8.self)
    }

    func syntax(_ expected: String, at position: Int? = nil) -> QueryPredicateError {
        QueryPredicateError(.syntax, "expected \(expected)", at: position ?? offset)
    }
}
