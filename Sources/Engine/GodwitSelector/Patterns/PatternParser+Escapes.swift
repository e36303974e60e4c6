//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension PatternParser {
    /// The meaning of an escape: one character, or a set that a letter names.
    enum Escape {
        case character(UInt32)
        case set(ScalarSet)
    }

    /// Parses an escape outside a class, beginning with its backslash.
    mutating func escaped() throws(PatternError) -> Item {
        offset += 1
        let start = offset
        guard let letter = next else { throw .invalid }
        offset += 1
        switch letter {
        case UInt8(ascii: "A"), UInt8(ascii: "G"): return assertion(.textStart)
        case UInt8(ascii: "z"): return assertion(.textEnd)
        case UInt8(ascii: "Z"): return assertion(.lastLineEnd)
        case UInt8(ascii: "b"): return assertion(.wordBoundary)
        case UInt8(ascii: "B"): return assertion(.noWordBoundary)
        // It changes the reported start of a match, and not whether the text matches.
        case UInt8(ascii: "K"): return Item(node: .empty, isRepeatable: false)
        case UInt8(ascii: "R"): throw .unsupported(#"\R"#)
        case UInt8(ascii: "X"): throw .unsupported(#"\X"#)
        case UInt8(ascii: "k"), UInt8(ascii: "g"): throw .unsupported("a back reference")
        case UInt8(ascii: "C"):
            if isUnicode { throw .unsupported(#"\C"#) }
            return Item(node: .byte(ByteSet(0...0xFF)))
        case UInt8(ascii: "N") where next != UInt8(ascii: "{") || endOfBounds() != nil:
            return Item(node: node(of: ScalarSet([0x0A...0x0A]).inverted(in: allCharacters)))
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            offset = start
            if let number = takeNumber(max: Self.repetitionMax),
                letter >= UInt8(ascii: "8") || number < 10
                    || number <= groupCount
            {
                throw .unsupported("a back reference")
            }
        default: break
        }
        offset = start
        switch try escape() {
        case .character(let character): return Item(node: literal(character))
        case .set(let set): return Item(node: node(of: set))
        }
    }

    /// Parses an escape that a class may contain too, beginning after its backslash.
    mutating func escape() throws(PatternError) -> Escape {
        guard let letter = next else { throw .invalid }
        guard letter < 0x80, PatternSets.words.contains(UInt32(letter)), letter != UInt8(ascii: "_") else {
            return takeCharacter().map { .character($0) } ?? .set(ScalarSet())
        }
        offset += 1
        switch letter {
        case UInt8(ascii: "a"): return .character(0x07)
        case UInt8(ascii: "e"): return .character(0x1B)
        case UInt8(ascii: "f"): return .character(0x0C)
        case UInt8(ascii: "n"): return .character(0x0A)
        case UInt8(ascii: "r"): return .character(0x0D)
        case UInt8(ascii: "t"): return .character(0x09)
        case UInt8(ascii: "c"): return .character(try control())
        case UInt8(ascii: "x"): return .character(try hexadecimal())
        case UInt8(ascii: "o"): return .character(try braced(radix: 8))
        case UInt8(ascii: "N") where isUnicode && take("{U+"):
            offset -= 3
            return .character(try braced(radix: 16, prefixBytes: 2))
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            offset -= 1
            return .character(try checked(octal()))
        case UInt8(ascii: "8"), UInt8(ascii: "9"): return .character(UInt32(letter))
        default: return .set(try set(of: letter))
        }
    }

    private mutating func set(of letter: UInt8) throws(PatternError) -> ScalarSet {
        let named: ScalarSet
        switch letter | 0x20 {
        case UInt8(ascii: "d"): named = PatternSets.digits
        case UInt8(ascii: "w"): named = PatternSets.words
        case UInt8(ascii: "s"): named = PatternSets.spaces
        case UInt8(ascii: "h"): named = PatternSets.horizontalSpaces
        case UInt8(ascii: "v"): named = PatternSets.verticalSpaces
        case UInt8(ascii: "p"): named = try property()
        default: throw .invalid
        }
        // A capital letter means the opposite.
        return letter & 0x20 != 0 ? named : named.inverted(in: allCharacters)
    }

    /// Parses the name of a property after `\p`.
    private mutating func property() throws(PatternError) -> ScalarSet {
        guard let first = next else { throw .invalid }
        offset += 1
        var name = String(decoding: [first], as: UTF8.self)
        var isNegated = false
        if first == UInt8(ascii: "{") {
            isNegated = take("^")
            guard let end = pattern[offset...].firstIndex(of: UInt8(ascii: "}")) else { throw .invalid }
            name = String(decoding: pattern[offset..<end], as: UTF8.self)
            offset = end + 1
        }
        // PCRE2 ignores the case, spaces, hyphens and underscores.
        let plain = name.lowercased().filter { $0 != " " && $0 != "-" && $0 != "_" }
        guard let set = PatternSets.category(plain, in: allCharacters) else {
            throw .unsupported(#"\p{\#(name)}: only general categories are known"#)
        }
        return isNegated ? set.inverted(in: allCharacters) : set
    }
}

// MARK: - Characters by number

extension PatternParser {
    private mutating func control() throws(PatternError) -> UInt32 {
        guard let letter = next, (0x20...0x7E).contains(letter) else { throw .invalid }
        offset += 1
        let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
        return UInt32((isSmall ? letter & 0xDF : letter) ^ 0x40)
    }

    private mutating func hexadecimal() throws(PatternError) -> UInt32 {
        if next == UInt8(ascii: "{") { return try braced(radix: 16) }
        var number: UInt32 = 0
        for _ in 0..<2 {
            guard let digit = digit(radix: 16) else { break }
            number = number << 4 | digit
        }
        return number
    }

    private mutating func octal() -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<3 {
            guard let digit = digit(radix: 8) else { break }
            number = number << 3 | digit
        }
        return number
    }

    /// Parses a number between braces.
    private mutating func braced(radix: UInt32, prefixBytes: Int = 0) throws(PatternError) -> UInt32 {
        guard take("{") else { throw .invalid }
        offset += prefixBytes
        var number: UInt32?
        while let digit = digit(radix: radix) {
            number = min((number ?? 0) * radix + digit, PatternSets.allScalars.upperBound + 1)
        }
        guard let number, take("}") else { throw .invalid }
        return try checked(number)
    }

    private mutating func digit(radix: UInt32) -> UInt32? {
        guard let byte = next, let digit = UInt32(String(decoding: [byte], as: UTF8.self), radix: Int(radix)) else {
            return nil
        }
        offset += 1
        return digit
    }

    /// A number that is a character of the pattern's kind.
    private func checked(_ number: UInt32) throws(PatternError) -> UInt32 {
        guard allCharacters.contains(number), !isUnicode || Unicode.Scalar(number) != nil else { throw .invalid }
        return number
    }
}
