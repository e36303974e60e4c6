//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The sets of characters that a pattern names.
enum PatternSets {
    /// The bytes of a pattern of bytes, and the characters of a pattern of Unicode.
    static let allBytes: ClosedRange<UInt32> = 0...0xFF
    static let allScalars: ClosedRange<UInt32> = 0...0x10FFFF

    static let digits = ScalarSet([0x30...0x39])
    static let words = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let spaces = ScalarSet([0x09...0x0D, 0x20...0x20])
    static let horizontalSpaces = ScalarSet([
        0x09...0x09, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x180E...0x180E, 0x2000...0x200A, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000,
    ])
    static let verticalSpaces = ScalarSet([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])

    /// The classes of POSIX, for ASCII, with their names.
    static let posix: [(name: String, set: ScalarSet)] = [
        ("alpha", ScalarSet([0x41...0x5A, 0x61...0x7A])),
        ("lower", ScalarSet([0x61...0x7A])),
        ("upper", ScalarSet([0x41...0x5A])),
        ("alnum", ScalarSet([0x30...0x39, 0x41...0x5A, 0x61...0x7A])),
        ("ascii", ScalarSet([0x00...0x7F])),
        ("blank", ScalarSet([0x09...0x09, 0x20...0x20])),
        ("cntrl", ScalarSet([0x00...0x1F, 0x7F...0x7F])),
        ("digit", digits),
        ("graph", ScalarSet([0x21...0x7E])),
        ("print", ScalarSet([0x20...0x7E])),
        ("punct", ScalarSet([0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E])),
        ("space", spaces),
        ("word", words),
        ("xdigit", ScalarSet([0x30...0x39, 0x41...0x46, 0x61...0x66])),
    ]

    /// The characters of a general category: `lu`, `l`, `l&`, `any`, and PCRE2's `xan`, `xwd`, `xps` and `xsp`; `nil` for
    /// another name.
    static func category(_ name: String, in all: ClosedRange<UInt32>) -> ScalarSet? {
        switch name {
        case "any": return ScalarSet([all])
        case "xps", "xsp": return category("z", in: all)?.union(spaces).union(horizontalSpaces).union(verticalSpaces)
        case "xan", "xwd":
            let letters = category("l", in: all)?.union(category("n", in: all) ?? ScalarSet())
            return name == "xan" ? letters : letters?.union(ScalarSet([0x5F...0x5F]))
        case "l&", "lc": return members(of: [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter], in: all)
        default:
            // Of two letters or of the first one.
            guard (1...2).contains(name.utf8.count) else { return nil }
            let members = categories.filter { $0.name.utf8.starts(with: name.utf8) }
            return members.isEmpty ? nil : self.members(of: members.map(\.category), in: all)
        }
    }

    private static func members(of categories: [Unicode.GeneralCategory], in all: ClosedRange<UInt32>) -> ScalarSet {
        let sets = all == allScalars ? scalarsOfCategory : divide(all)
        return ScalarSet(categories.flatMap { sets[$0]?.ranges ?? [] })
    }

    private static let scalarsOfCategory = divide(allScalars)

    /// The characters of each category.
    private static func divide(_ all: ClosedRange<UInt32>) -> [Unicode.GeneralCategory: ScalarSet] {
        var ranges: [Unicode.GeneralCategory: [ClosedRange<UInt32>]] = [:]
        var (start, category) = (all.lowerBound, Unicode.GeneralCategory.unassigned)
        for character in all {
            let next = Unicode.Scalar(character)?.properties.generalCategory ?? .surrogate
            guard next != category else { continue }
            if character > start { ranges[category, default: []].append(start...character - 1) }
            (start, category) = (character, next)
        }
        ranges[category, default: []].append(start...all.upperBound)
        return ranges.mapValues { ScalarSet($0) }
    }

    /// The categories with their names in Unicode's data, in small letters.
    private static let categories: [(name: String, category: Unicode.GeneralCategory)] = [
        ("lu", .uppercaseLetter), ("ll", .lowercaseLetter), ("lt", .titlecaseLetter), ("lm", .modifierLetter),
        ("lo", .otherLetter), ("mn", .nonspacingMark), ("mc", .spacingMark), ("me", .enclosingMark),
        ("nd", .decimalNumber), ("nl", .letterNumber), ("no", .otherNumber), ("pc", .connectorPunctuation),
        ("pd", .dashPunctuation), ("ps", .openPunctuation), ("pe", .closePunctuation), ("pi", .initialPunctuation),
        ("pf", .finalPunctuation), ("po", .otherPunctuation), ("sm", .mathSymbol), ("sc", .currencySymbol),
        ("sk", .modifierSymbol), ("so", .otherSymbol), ("zs", .spaceSeparator), ("zl", .lineSeparator),
        ("zp", .paragraphSeparator), ("cc", .control), ("cf", .format), ("cs", .surrogate), ("co", .privateUse),
        ("cn", .unassigned),
    ]
}

/// Characters that differ only in case.
enum PatternCases {
    /// A set with the other cases of its characters: of ASCII letters in a pattern of bytes.
    static func closed(_ set: ScalarSet, inUnicode: Bool) -> ScalarSet {
        inUnicode ? closedInUnicode(set) : closedInASCII(set)
    }

    private static func closedInASCII(_ set: ScalarSet) -> ScalarSet {
        var ranges = set.ranges
        for range in set.ranges {
            for (letters, distance) in [(0x41...0x5A, 0x20), (0x61...0x7A, -0x20)] as [(ClosedRange<UInt32>, Int)] {
                let common = range.clamped(to: letters)
                guard range.overlaps(letters) else { continue }
                ranges.append(
                    UInt32(Int(common.lowerBound) + distance)...UInt32(Int(common.upperBound) + distance))
            }
        }
        return ScalarSet(ranges)
    }

    private static func closedInUnicode(_ set: ScalarSet) -> ScalarSet {
        var ranges = set.ranges
        for group in groups where group.contains(where: { set.contains($0) }) { ranges += group.map { $0...$0 } }
        return ScalarSet(ranges)
    }

    /// The groups of characters with the same simple case folding, each with at least two.
    private static let groups: [[UInt32]] = {
        var folded: [UInt32: [UInt32]] = [:]
        for point in PatternSets.allScalars {
            guard let scalar = Unicode.Scalar(point) else { continue }
            let properties = scalar.properties
            guard properties.isCased || properties.changesWhenCaseMapped else { continue }
            folded[fold(scalar), default: []].append(point)
        }
        return folded.values.filter { $0.count > 1 }
    }()

    /// The simple case folding: the small letter of the capital letter, if each is one character. The exceptions are the
    /// Turkish letters, which fold to themselves, and the Cherokee letters, which fold to capital letters.
    private static func fold(_ scalar: Unicode.Scalar) -> UInt32 {
        if scalar == "\u{130}" || scalar == "\u{131}" { return scalar.value }
        let capital = single(scalar.properties.uppercaseMapping) ?? scalar
        return (single(capital.properties.lowercaseMapping) ?? capital).value
    }

    private static func single(_ text: String) -> Unicode.Scalar? {
        let scalars = text.unicodeScalars
        return scalars.count == 1 ? scalars.first : nil
    }
}
