//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension PatternParser {
    /// Parses a class, beginning with its bracket.
    mutating func characterClass() throws(PatternError) -> PatternNode {
        if endOfPOSIXName() != nil { throw .invalid }
        offset += 1
        let isNegated = take("^")
        var set = ScalarSet()
        // A bracket that is first is a character.
        var isFirst = true
        while true {
            skipInClass()
            guard next != UInt8(ascii: "]") || isFirst else { break }
            isFirst = false
            set = set.union(try classItem())
        }
        offset += 1
        return node(of: isNegated ? set.inverted(in: allCharacters) : set)
    }

    /// Skips `\E`, empty quotes, and spaces with the option `xx`.
    private mutating func skipInClass() {
        while take(#"\E"#) || take(#"\Q\E"#) || options.ignoresSpaceInClasses && (take(" ") || take("\t")) {}
    }

    /// Parses a character, a range, a named set, or a quoted text.
    private mutating func classItem() throws(PatternError) -> ScalarSet {
        if take(#"\Q"#) { return try members(takeQuoted()[...]) }
        if let end = endOfPOSIXName() {
            let set = try posixSet(until: end)
            try refuseRange()
            return set
        }
        switch try classAtom() {
        case .set(let set):
            try refuseRange()
            return set
        case .character(let first): return try range(from: first)
        }
    }

    /// The set of the characters from `first` on, which another character may end.
    private mutating func range(from first: UInt32) throws(PatternError) -> ScalarSet {
        skipInClass()
        guard next == UInt8(ascii: "-") else { return cased(ScalarSet([first...first])) }
        let hyphen = offset
        offset += 1
        skipInClass()
        guard next != UInt8(ascii: "]") else {
            offset = hyphen
            return cased(ScalarSet([first...first]))
        }
        if endOfPOSIXName() != nil { throw .invalid }
        let last: UInt32
        var quoted: ArraySlice<UInt32> = []
        if take(#"\Q"#) {
            quoted = takeQuoted()[...]
            guard let character = quoted.popFirst() else { throw .invalid }
            last = character
        } else {
            guard case .character(let character) = try classAtom() else { throw .invalid }
            last = character
        }
        guard first <= last else { throw .invalid }
        return cased(ScalarSet([first...last])).union(try members(quoted))
    }

    /// The set of the characters of a quoted text. Its last character may begin a range.
    private mutating func members(_ quoted: ArraySlice<UInt32>) throws(PatternError) -> ScalarSet {
        guard let last = quoted.last else { return ScalarSet() }
        return cased(ScalarSet(quoted.dropLast().map { $0...$0 })).union(try range(from: last))
    }

    /// Throws if a hyphen follows a set that no range can begin with, except before the end of the class.
    private mutating func refuseRange() throws(PatternError) {
        skipInClass()
        guard next == UInt8(ascii: "-") else { return }
        let hyphen = offset
        offset += 1
        skipInClass()
        guard next == UInt8(ascii: "]") else { throw .invalid }
        offset = hyphen
    }

    private mutating func classAtom() throws(PatternError) -> Escape {
        guard take(#"\"#) else {
            guard let character = takeCharacter() else { throw .invalid }
            return .character(character)
        }
        return take("b") ? .character(0x08) : try escape()
    }

    /// The offset of the colon, point or equals sign that ends a name as in `[:alpha:]`; `nil` if none is next.
    private func endOfPOSIXName() -> Int? {
        guard next == UInt8(ascii: "["), let sign = second,
            sign == UInt8(ascii: ":") || sign == UInt8(ascii: ".") || sign == UInt8(ascii: "=")
        else { return nil }
        var position = offset + 2
        while position + 1 < pattern.count {
            let (byte, after) = (pattern[position], pattern[position + 1])
            if byte == sign, after == UInt8(ascii: "]") { return position }
            if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "[") && after == sign { return nil }
            let isEscape = byte == UInt8(ascii: #"\"#) && (after == byte || after == UInt8(ascii: "]"))
            position += isEscape ? 2 : 1
        }
        return nil
    }

    private mutating func posixSet(until end: Int) throws(PatternError) -> ScalarSet {
        offset += 1
        guard take(":") else { throw .invalid }
        let isNegated = take("^")
        guard offset <= end,
            let set = PatternSets.posix.first(where: { $0.name.utf8.elementsEqual(pattern[offset..<end]) })?.set
        else { throw .invalid }
        offset = end + 2
        return isNegated ? cased(set).inverted(in: allCharacters) : cased(set)
    }
}
