//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Parses patterns in the syntax of PCRE2 10.42 with its default options ("pcre2pattern", "pcre2syntax").
///
/// A pattern that PCRE2 does not accept is ``PatternError/invalid``. What needs backtracking is
/// ``PatternError/unsupported(_:)``: back references, look-around, atomic groups, possessive repetitions, recursion,
/// conditions, callouts and verbs.
struct PatternParser {
    /// The options that letters between `(?` and `)` change.
    struct Options {
        var ignoresCase = false
        var hasSeveralLines = false
        var dotIncludesNewline = false
        var ignoresSpace = false
        var ignoresSpaceInClasses = false
        var hasPlainGroups = false
        var allowsEqualNames = false
    }

    /// PCRE2's limits on nested groups, on numbers of repetitions, and on names.
    static let depthMax = 250
    static let repetitionMax = 65_535
    static let nameBytesMax = 32

    let pattern: [UInt8]
    var offset = 0
    var options = Options()
    /// Whether the pattern consists of characters of Unicode instead of bytes.
    private(set) var isUnicode = false
    var depth = 0
    var groupCount = 0
    /// The names of groups, each with the number of its group.
    var names: [[UInt8]: Int] = [:]
    /// The name of each group that has one.
    var nameOfGroup: [Int: [UInt8]] = [:]

    init(_ pattern: [UInt8]) {
        self.pattern = pattern
        while true {
            if take("(*UTF)") { isUnicode = true } else if !take("(*LF)") { break }
        }
    }

    /// The pattern as a tree.
    mutating func parse() throws(PatternError) -> PatternNode {
        let node = try alternatives()
        guard offset == pattern.count else { throw .invalid }
        return node
    }

    /// All characters that the pattern may contain.
    var allCharacters: ClosedRange<UInt32> { isUnicode ? PatternSets.allScalars : PatternSets.allBytes }

    func node(of set: ScalarSet) -> PatternNode { isUnicode ? set.nodeOfUTF8 : set.nodeOfBytes }

    /// A set with the other cases of its letters, if the options say so.
    func cased(_ set: ScalarSet) -> ScalarSet {
        options.ignoresCase ? PatternCases.closed(set, inUnicode: isUnicode) : set
    }

    func literal(_ character: UInt32) -> PatternNode { node(of: cased(ScalarSet([character...character]))) }
}

// MARK: - Reading

extension PatternParser {
    var next: UInt8? { offset < pattern.count ? pattern[offset] : nil }

    /// The byte after the next one.
    var second: UInt8? { offset + 1 < pattern.count ? pattern[offset + 1] : nil }

    /// Takes a text if it is next.
    mutating func take(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard pattern[offset...].starts(with: text) else { return false }
            offset += text.count
            return true
        }
    }

    /// Takes a character: a byte, or a code point of Unicode.
    mutating func takeCharacter() -> UInt32? {
        guard let first = next else { return nil }
        offset += 1
        guard isUnicode, first >= 0x80 else { return UInt32(first) }
        let trailing = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
        var character = UInt32(first) & (0x3F >> UInt32(trailing))
        for _ in 0..<trailing {
            character = character << 6 | UInt32(next ?? 0x80) & 0x3F
            offset = min(offset + 1, pattern.count)
        }
        return character
    }

    /// Takes a number in decimal digits, at most `max + 1`; `nil` if there is no digit.
    mutating func takeNumber(max: Int) -> Int? {
        var number: Int?
        while let digit = next, PatternSets.digits.contains(UInt32(digit)) {
            number = min((number ?? 0) * 10 + Int(digit - 0x30), max + 1)
            offset += 1
        }
        return number
    }

    /// Skips what the pattern ignores before an item: comments, `\E`, and spaces with the option `x`.
    mutating func skipIgnored() throws(PatternError) {
        while true {
            if take("(?#") {
                guard let end = pattern[offset...].firstIndex(of: UInt8(ascii: ")")) else { throw .invalid }
                offset = end + 1
            } else if !take(#"\E"#), !skipSpace() {
                return
            }
        }
    }

    /// Skips a space or a comment of the option `x`.
    mutating func skipSpace() -> Bool {
        guard options.ignoresSpace, let byte = next else { return false }
        if byte == UInt8(ascii: "#") {
            offset = pattern[offset...].firstIndex(of: 0x0A).map { $0 + 1 } ?? pattern.count
            return true
        }
        if PatternSets.spaces.contains(UInt32(byte)) {
            offset += 1
            return true
        }
        return isUnicode
            && (take("\u{85}") || take("\u{200E}") || take("\u{200F}") || take("\u{2028}") || take("\u{2029}"))
    }
}

// MARK: - Alternatives, sequences, repetitions

extension PatternParser {
    /// Parses until the end of the group or pattern.
    ///
    /// - Parameter resetsNumbers: Whether the groups of each alternative have the same numbers: `(?|…)`.
    mutating func alternatives(resetsNumbers: Bool = false) throws(PatternError) -> PatternNode {
        let firstCount = groupCount
        var parts = [try sequence()]
        var lastCount = groupCount
        while take("|") {
            if resetsNumbers { groupCount = firstCount }
            parts.append(try sequence())
            lastCount = max(lastCount, groupCount)
        }
        groupCount = lastCount
        return parts.count == 1 ? parts[0] : .alternatives(parts)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var items: [Item] = []
        var lastIsRepeatable = false
        while true {
            try skipIgnored()
            guard let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") else { break }
            if let (min, max) = try takeRepetition() {
                guard lastIsRepeatable, let last = items.popLast() else { throw .invalid }
                items.append(Item(node: .repeated(last.node, min: min, max: max), isRepeatable: false))
                lastIsRepeatable = false
            } else {
                let taken = try takeItems()
                items += taken
                lastIsRepeatable = taken.last?.isRepeatable ?? lastIsRepeatable
            }
        }
        return .joined(items.map(\.node))
    }

    /// A part of a sequence, and whether a repetition may follow it.
    struct Item {
        let node: PatternNode
        var isRepeatable = true
    }

    /// Takes an item; several of a quoted text, and none of an empty one.
    private mutating func takeItems() throws(PatternError) -> [Item] {
        if take(#"\Q"#) { return takeQuoted().map { Item(node: literal($0)) } }
        switch next {
        case UInt8(ascii: "^"):
            offset += 1
            return [assertion(options.hasSeveralLines ? .lineStart : .textStart)]
        case UInt8(ascii: "$"):
            offset += 1
            return [assertion(options.hasSeveralLines ? .lineEnd : .lastLineEnd)]
        case UInt8(ascii: "."):
            offset += 1
            let newline = options.dotIncludesNewline ? ScalarSet() : ScalarSet([0x0A...0x0A])
            return [Item(node: node(of: newline.inverted(in: allCharacters)))]
        case UInt8(ascii: "["):
            if take("[[:<:]]") { return wordSide(.beforeWord) }
            if take("[[:>:]]") { return wordSide(.afterWord) }
            return [Item(node: try characterClass())]
        case UInt8(ascii: "("): return [try group()]
        case UInt8(ascii: #"\"#): return [try escaped()]
        default: return takeCharacter().map { [Item(node: literal($0))] } ?? []
        }
    }

    func assertion(_ assertion: PatternAssertion) -> Item { Item(node: .assertion(assertion), isRepeatable: false) }

    /// The start or end of a word. As in PCRE2, a repetition after it repeats only its second part.
    private func wordSide(_ side: PatternAssertion) -> [Item] {
        [assertion(.wordBoundary), Item(node: .assertion(side))]
    }

    /// The characters until `\E` or the end.
    mutating func takeQuoted() -> [UInt32] {
        var characters: [UInt32] = []
        while !take(#"\E"#), let character = takeCharacter() { characters.append(character) }
        return characters
    }

    /// Takes a repetition, and the `?` that makes it lazy.
    private mutating func takeRepetition() throws(PatternError) -> (min: Int, max: Int?)? {
        guard let repetition = try takeBounds() else { return nil }
        try skipIgnored()
        if take("+") { throw .unsupported("a possessive repetition") }
        _ = take("?")
        return repetition
    }

    private mutating func takeBounds() throws(PatternError) -> (min: Int, max: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard let end = endOfBounds() else { return nil }
        offset += 1
        guard let min = takeNumber(max: Self.repetitionMax), min <= Self.repetitionMax else { throw .invalid }
        var max: Int? = min
        if take(",") { max = takeNumber(max: Self.repetitionMax) }
        guard offset == end, max.map({ $0 <= Self.repetitionMax && $0 >= min }) ?? true else { throw .invalid }
        offset += 1
        return (min, max)
    }

    /// The offset of the brace that ends `{n}`, `{n,}` or `{n,m}`; `nil` if something else is next.
    func endOfBounds() -> Int? {
        guard next == UInt8(ascii: "{") else { return nil }
        let bounds = pattern[(offset + 1)...]
            .prefix { $0 == UInt8(ascii: ",") || PatternSets.digits.contains(UInt32($0)) }
        let parts = bounds.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let isEnded = bounds.endIndex < pattern.count && pattern[bounds.endIndex] == UInt8(ascii: "}")
        return isEnded && parts.count <= 2 && !parts[0].isEmpty ? bounds.endIndex : nil
    }
}
