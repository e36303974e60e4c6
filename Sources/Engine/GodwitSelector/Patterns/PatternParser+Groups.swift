//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension PatternParser {
    /// Parses a group or an option, beginning with its parenthesis.
    mutating func group() throws(PatternError) -> Item {
        offset += 1
        if next == UInt8(ascii: "*") { throw .unsupported("a verb or an assertion with a name") }
        guard take("?") else {
            if !options.hasPlainGroups { groupCount += 1 }
            return try inner()
        }
        switch next {
        case UInt8(ascii: ":"):
            offset += 1
            return try inner()
        case UInt8(ascii: "|"):
            offset += 1
            return try inner(resetsNumbers: true)
        case UInt8(ascii: ">"): throw .unsupported("an atomic group")
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "*"): throw .unsupported("look-ahead")
        case UInt8(ascii: "("): throw .unsupported("a condition")
        case UInt8(ascii: "C"): throw .unsupported("a callout")
        case UInt8(ascii: "&"), UInt8(ascii: "R"), UInt8(ascii: "+"): throw .unsupported("recursion")
        case let digit? where PatternSets.digits.contains(UInt32(digit)): throw .unsupported("recursion")
        case UInt8(ascii: "-") where second.map { PatternSets.digits.contains(UInt32($0)) } ?? false:
            throw .unsupported("recursion")
        case UInt8(ascii: "<"), UInt8(ascii: "'"), UInt8(ascii: "P"): return try namedGroup()
        default: return try optionGroup()
        }
    }

    private mutating func namedGroup() throws(PatternError) -> Item {
        if take("P=") || take("P>") { throw .unsupported("a back reference or recursion") }
        _ = take("P")
        if second == UInt8(ascii: "=") || second == UInt8(ascii: "!") || second == UInt8(ascii: "*"), take("<") {
            throw .unsupported("look-behind")
        }
        let end = take("'") ? UInt8(ascii: "'") : UInt8(ascii: ">")
        guard end == UInt8(ascii: "'") || take("<") else { throw .invalid }
        let start = offset
        while let byte = next, PatternSets.words.contains(UInt32(byte)) { offset += 1 }
        let name = Array(pattern[start..<offset])
        guard next == end, let first = name.first, !PatternSets.digits.contains(UInt32(first)),
            name.count <= Self.nameBytesMax, declare(name, ofGroup: groupCount + 1)
        else {
            if isUnicode, let byte = next, byte >= 0x80 { throw .unsupported("a name beyond ASCII") }
            throw .invalid
        }
        offset += 1
        groupCount += 1
        return try inner()
    }

    /// Gives a group a name. Groups of one number have one name, and without the option `J` groups of one name have one
    /// number.
    ///
    /// - Returns: Whether the name is allowed.
    private mutating func declare(_ name: [UInt8], ofGroup number: Int) -> Bool {
        let isFree = options.allowsEqualNames || names[name] ?? number == number
        guard isFree, nameOfGroup[number] ?? name == name else { return false }
        names[name] = number
        nameOfGroup[number] = name
        return true
    }

    /// Parses the rest of a group. The options that change in it end with it.
    private mutating func inner(
        with changed: Options? = nil, resetsNumbers: Bool = false
    ) throws(PatternError) -> Item {
        guard depth < Self.depthMax else { throw .invalid }
        let outer = options
        options = changed ?? options
        depth += 1
        let node = try alternatives(resetsNumbers: resetsNumbers)
        depth -= 1
        options = outer
        guard take(")") else { throw .invalid }
        return Item(node: node)
    }

    /// Parses `(?i)`, whose options hold until the end of the group that it is in, or `(?i:…)`.
    private mutating func optionGroup() throws(PatternError) -> Item {
        var changed = options
        let isReset = take("^")
        if isReset { changed = Options(allowsEqualNames: options.allowsEqualNames) }
        var sets = true
        while let letter = next, letter != UInt8(ascii: ")"), letter != UInt8(ascii: ":") {
            offset += 1
            switch letter {
            case UInt8(ascii: "-") where sets && !isReset: sets = false
            case UInt8(ascii: "i"): changed.ignoresCase = sets
            case UInt8(ascii: "m"): changed.hasSeveralLines = sets
            case UInt8(ascii: "s"): changed.dotIncludesNewline = sets
            case UInt8(ascii: "n"): changed.hasPlainGroups = sets
            case UInt8(ascii: "J"): changed.allowsEqualNames = sets
            case UInt8(ascii: "U"): break
            case UInt8(ascii: "x"):
                changed.ignoresSpace = sets
                changed.ignoresSpaceInClasses = take("x") && sets
            default: throw .invalid
            }
        }
        if take(":") { return try inner(with: changed) }
        guard take(")") else { throw .invalid }
        options = changed
        return Item(node: .empty, isRepeatable: false)
    }
}
