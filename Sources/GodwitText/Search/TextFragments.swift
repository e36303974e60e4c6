//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Cuts a text into fragments around its matches.
struct TextFragments {
    let text: [UInt8]
    /// The matches by their begin, in bytes; they may overlap.
    let spans: [Range<Int>]
    let style: TextHighlighter.Style

    /// The fragments with the most matches, in the order of the text.
    func fragments() -> [String] {
        let matches = Self.merged(spans)
        let groups = groups(of: matches)
        let best = groups.indices.sorted {
            (groups[$1].count, $0) < (groups[$0].count, $1)
        }.prefix(min(style.fragmentsMax, TextLimits.fragmentsMax)).sorted()
        return best.map { fragment(Array(groups[$0])) }
    }

    private var length: Int { max(1, min(style.length, TextLimits.fragmentLengthMax)) }

    private static func merged(_ spans: [Range<Int>]) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for span in spans {
            if let last = merged.last, span.lowerBound < last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
            } else {
                merged.append(span)
            }
        }
        return merged
    }

    /// Matches that fit into one fragment together.
    private func groups(of matches: [Range<Int>]) -> [ArraySlice<Range<Int>>] {
        var groups: [ArraySlice<Range<Int>>] = []
        var first = 0
        for place in matches.indices.dropFirst()
        where characters(matches[first].lowerBound..<matches[place].upperBound) > length {
            groups.append(matches[first..<place])
            first = place
        }
        if !matches.isEmpty { groups.append(matches[first...]) }
        return groups
    }

    /// How many characters begin in a range: bytes that continue one do not count.
    private func characters(_ range: Range<Int>) -> Int {
        text[range].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }

    // MARK: One fragment

    private func fragment(_ matches: [Range<Int>]) -> String {
        let window = window(around: matches[0].lowerBound..<matches[matches.count - 1].upperBound)
        var bytes: [UInt8] = []
        var position = window.lowerBound
        for match in matches {
            bytes += text[position..<match.lowerBound]
            bytes += style.before.utf8
            bytes += text[match]
            bytes += style.after.utf8
            position = match.upperBound
        }
        bytes += text[position..<window.upperBound]
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Widens a range to the length of a fragment, as far on both sides, and back to whole words, where their script parts
    /// words with spaces.
    private func window(around range: Range<Int>) -> Range<Int> {
        let room = max(0, length - characters(range))
        var (start, end) = (range.lowerBound, range.upperBound)
        let before = back(from: &start, by: room / 2)
        let after = forth(from: &end, by: room - before)
        _ = back(from: &start, by: room - before - after)
        while start > 0, start < range.lowerBound, !isSpace(start - 1), !mayBeCut(start) { start += 1 }
        while end < text.count, end > range.upperBound, !isSpace(end), !mayBeCut(end) { end -= 1 }
        while start < range.lowerBound, isSpace(start) { start += 1 }
        while end > range.upperBound, isSpace(end - 1) { end -= 1 }
        return start..<end
    }

    private func isSpace(_ place: Int) -> Bool { text[place] == 0x20 || (0x09...0x0D).contains(text[place]) }

    /// Whether a character of a script without spaces begins at a place: from Thai to Burmese, Khmer, Chinese and Japanese.
    private func mayBeCut(_ place: Int) -> Bool {
        guard text[place] >= 0xE0, text[place] & 0xC0 == 0xC0, place + 2 < text.count else { return false }
        let letter = Int(text[place] & 0x0F) << 12 | Int(text[place + 1] & 0x3F) << 6 | Int(text[place + 2] & 0x3F)
        return text[place] >= 0xF0 || 0xE00...0xEFF ~= letter || 0x1000...0x109F ~= letter || 0x1780...0x17FF ~= letter
            || 0x2E80...0x9FFF ~= letter
    }

    private func back(from place: inout Int, by count: Int) -> Int {
        var moved = 0
        while place > 0, moved < count {
            place -= 1
            while place > 0, text[place] & 0xC0 == 0x80 { place -= 1 }
            moved += 1
        }
        return moved
    }

    private func forth(from place: inout Int, by count: Int) -> Int {
        var moved = 0
        while place < text.count, moved < count {
            place += 1
            while place < text.count, text[place] & 0xC0 == 0x80 { place += 1 }
            moved += 1
        }
        return moved
    }
}
