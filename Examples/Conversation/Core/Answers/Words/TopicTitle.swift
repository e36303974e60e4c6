//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The title of a topic, which may contain shorter names of the topic: "Kidney Failure: What to Expect", "What I need
/// to know about Gas", "Crohn's Disease (regional enteritis)".
struct TopicTitle {
    private static let introductions = [
        "need to know about ", "your guide to ", "living with ", "treatment methods for ",
    ]
    private static let separators = [": ", " - ", " and how ", "; "]
    private static let known = "also known as "
    private static let group = " - "
    /// Endings that follow the name of a person. The topic is also known without the ending: "Parkinson's" for
    /// "Parkinson's disease".
    private static let generalWords = ["'s disease", "’s disease", "'s syndrome", "’s syndrome"]
    /// The maximum number of words of a name in parentheses. A longer text in parentheses is a remark and not a name.
    private static let namedWordsMax = 4

    let text: String

    init(_ text: String) { self.text = text }

    /// The names: the title itself, and the shorter names that the title contains.
    var names: [String] {
        var names = [text]
        let (rest, inParentheses) = withoutParentheses
        if !inParentheses.isEmpty { names.append(rest) }
        for remark in inParentheses {
            let known = remark[...].range(ofIgnoringCase: Self.known)
            let name = known.map { String(remark[$0.upperBound...]) } ?? remark
            guard AnswerWords.words(of: name).count <= Self.namedWordsMax else { continue }
            names.append(name)
            // "P.A.D." is also written without its dots.
            if name.contains("."), name.allSatisfy({ $0.isUppercase || $0 == "." }) {
                names.append(name.filter { $0 != "." })
            }
        }
        // The title of a group is before the name: "Parasites - Lice - Head Lice".
        if let range = rest[...].lastRange(of: Self.group) { names.append(String(rest[range.upperBound...])) }
        var short = rest[...]
        for introduction in Self.introductions {
            if let range = short.range(ofIgnoringCase: introduction) { short = short[range.upperBound...] }
        }
        for separator in Self.separators {
            if let range = short.range(ofIgnoringCase: separator) { short = short[..<range.lowerBound] }
        }
        if short.utf8.count < rest.utf8.count { names.append(String(short)) }
        for ending in Self.generalWords {
            if let range = short.range(ofIgnoringCase: ending), range.upperBound == short.endIndex {
                names.append(String(short[..<range.lowerBound]))
            }
        }
        return names
    }

    private var withoutParentheses: (rest: String, inParentheses: [String]) {
        var (rest, found, current) = ("", [String](), String?.none)
        for character in text {
            switch character {
            case "(": current = ""
            case ")":
                if let name = current { found.append(name) }
                current = nil
            default:
                if current != nil { current?.append(character) } else { rest.append(character) }
            }
        }
        return (String(rest.reversed().drop(while: \.isWhitespace).reversed()), found)
    }
}

extension Substring {
    /// Returns the range of the last occurrence of `text`.
    fileprivate func lastRange(of text: String) -> Range<Index>? {
        indices.last { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
    }

    /// Returns the range of the first occurrence of `text` in this string. `text` must be ASCII and in lower case. It
    /// also matches letters of this string that are in upper case.
    fileprivate func range(ofIgnoringCase text: String) -> Range<Index>? {
        let (bytes, wanted) = (utf8, Array(text.utf8))
        guard bytes.count >= wanted.count else { return nil }
        for start in bytes.indices {
            let rest = bytes[start...]
            guard rest.count >= wanted.count else { return nil }
            let isEqual = zip(rest, wanted).allSatisfy { byte, other in
                (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte) == other
            }
            if isEqual { return start..<bytes.index(start, offsetBy: wanted.count) }
        }
        return nil
    }
}
