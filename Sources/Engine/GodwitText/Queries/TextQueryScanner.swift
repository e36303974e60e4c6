//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Splits the text of a query into words and operators.
struct TextQueryScanner {
    private let bytes: [UInt8]
    /// The offset of the next byte.
    private(set) var position = 0

    /// The reserved words.
    static let operators: Set = ["AND", "OR", "NOT", "NEAR"]
    static let nearDistanceDefault = 10
    static let nearDistanceMax = 1_000

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { position >= bytes.count }
    var peek: UInt8? { isAtEnd ? nil : bytes[position] }
    var isAtRange: Bool { peek == UInt8(ascii: "[") || peek == UInt8(ascii: "{") }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private func endsWord(at position: Int) -> Bool { position >= bytes.count || Self.isSpace(bytes[position]) }

    mutating func skipSpace() {
        while let byte = peek, Self.isSpace(byte) { position += 1 }
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    // MARK: Operators

    /// Whether an operator is at the current position as a complete word.
    func isAt(operator text: StaticString) -> Bool {
        let end = position + text.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        let operatorBytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes[position..<end].elementsEqual(operatorBytes) else { return false }
        return endsWord(at: end) || [UInt8(ascii: "("), UInt8(ascii: "\"")].contains(bytes[end])
    }

    mutating func skip(operator text: StaticString) -> Bool {
        guard isAt(operator: text) else { return false }
        position += text.utf8CodeUnitCount
        skipSpace()
        return true
    }

    /// Skips a sign that is directly before its operand. Returns whether there was such a sign.
    mutating func skip(sign: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: sign), !endsWord(at: position + 1) else { return false }
        position += 1
        return true
    }

    /// Skips an operator such as `NEAR` or `NEAR/5`, and returns its distance; `nil` when no such operator is at the
    /// position.
    mutating func skipNear() throws(TextError) -> Int? {
        if skip(operator: "NEAR") { return Self.nearDistanceDefault }
        let name = Array("NEAR/".utf8)
        guard bytes[position...].starts(with: name) else { return nil }
        let start = position
        position += name.count
        guard let distance = number(), endsWord(at: position) else {
            throw .syntax("NEAR/ must be followed by a number up to \(Self.nearDistanceMax)", at: start)
        }
        skipSpace()
        return distance
    }

    /// Skips `~2` after a phrase, and returns the distance; `nil` when the phrase has no distance.
    mutating func slop() throws(TextError) -> Int? {
        guard skip("~") else { return nil }
        guard let distance = number() else {
            throw .syntax("~ after a phrase must be followed by a number up to \(Self.nearDistanceMax)", at: position)
        }
        try endPart()
        return distance
    }

    private mutating func number() -> Int? {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        let number = Int(String(decoding: bytes[start..<position], as: UTF8.self))
        return number.flatMap { $0 <= Self.nearDistanceMax ? $0 : nil }
    }

    // MARK: Words

    /// Reads the text between quotes.
    mutating func quoted() throws(TextError) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        while let byte = peek, byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), position + 1 < bytes.count { position += 1 }
            text.append(bytes[position])
            position += 1
        }
        guard skip("\"") else { throw .syntax("A quote is not closed", at: start) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a word up to a space or a reserved character. `name` is the word as the name of a field, in which escaped
    /// periods remain escaped.
    mutating func word() throws(TextError) -> (text: String, name: String, isEscaped: Bool) {
        let start = position
        var (text, name): ([UInt8], [UInt8]) = ([], [])
        var isEscaped = false
        while let byte = peek, !Self.isSpace(byte), !Self.reservedCharacters.contains(byte) {
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                position += 1
                guard !isAtEnd else { throw .syntax("The backslash must be followed by a character", at: position - 1) }
                if bytes[position] == UInt8(ascii: ".") { name.append(byte) }
            }
            text.append(bytes[position])
            name.append(bytes[position])
            position += 1
        }
        guard position > start else { throw unexpected() }
        return (String(decoding: text, as: UTF8.self), String(decoding: name, as: UTF8.self), isEscaped)
    }

    private static let reservedCharacters = Set("():[]{}\"^~*".utf8)

    private func unexpected() -> TextError {
        guard let byte = peek else { return .syntax("Expected a word", at: position) }
        let character = String(UnicodeScalar(byte))
        return .syntax("Expected a word instead of \(character). Write \\\(character) for the character", at: position)
    }

    /// Skips to the next part. Throws an error if an unsupported operator follows, or if a star is followed by a
    /// character that is neither a space nor a closing parenthesis.
    mutating func endPart() throws(TextError) {
        switch peek {
        case UInt8(ascii: "^"): throw .syntax("Boosts (^) are not supported", at: position)
        case UInt8(ascii: "~"): throw .syntax("Fuzzy words (~) are not supported", at: position)
        case UInt8(ascii: "*"): throw .syntax("A star must be the end of a word", at: position)
        case let byte?
        where !Self.isSpace(byte) && byte != UInt8(ascii: ")") && position > 0
            && bytes[position - 1] == UInt8(ascii: "*"):
            throw .syntax("A star must be the end of a word", at: position - 1)
        default: skipSpace()
        }
    }

    // MARK: Ranges

    /// Reads a range with its brackets.
    mutating func range() throws(TextError) -> TextRange {
        let start = position
        let includesLower = peek == UInt8(ascii: "[")
        position += 1
        let lower = try bound(isLower: true)
        guard skip(operator: "TO") else { throw .syntax("A range is written [1 TO 5]", at: start) }
        let upper = try bound(isLower: false)
        let includesUpper = peek == UInt8(ascii: "]")
        guard skip("]") || skip("}") else { throw .syntax("A range is written [1 TO 5]", at: start) }
        skipSpace()
        return TextRange(lower: lower, upper: upper, includesLower: includesLower, includesUpper: includesUpper)
    }

    private mutating func bound(isLower: Bool) throws(TextError) -> TextRange.Bound? {
        skipSpace()
        let start = position
        defer { skipSpace() }
        if peek == UInt8(ascii: "\"") { return .text(try quoted()) }
        while let byte = peek, !Self.isSpace(byte), byte != UInt8(ascii: "]"), byte != UInt8(ascii: "}") {
            position += 1
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard !text.isEmpty else { throw .syntax("A bound is missing", at: start) }
        if text == "*" || isLower && text == "-Infinity" || !isLower && text == "Infinity" { return nil }
        return Double(text).map { .number($0) } ?? .text(text)
    }
}
