//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Extracts fragments around the matches in a text.
struct TextFragments {
    let text: [UInt8]
    /// The matches ordered by their start, in bytes. They may overlap.
    let spans: [Range<Int>]
    let style: TextHighlighter.Style

    /// Returns the fragments with the most matches, in the order of the text.
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

    /// Groups matches that fit into one fragment.
    private func groups(of matches: [Range<Int>]) -> [ArraySlice<Range<Int>>] {
        var groups: [ArraySlice<Range<Int>>] = []
        var first = 0
        for position in matches.indices.dropFirst()
        where characters(matches[first].lowerBound..<matches[position].upperBound) > length {
            groups.append(matches[first..<position])
            first = position
        }
        if !matches.isEmpty { groups.append(matches[first...]) }
        return groups
    }

    /// Returns the number of characters that start in a range. UTF-8 continuation bytes do not count.
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

    /// Extends a range to the length of a fragment, equally on both sides, then shrinks it to complete words if their
    /// script separates words with spaces.
    private func window(around range: Range<Int>) -> Range<Int> {
        let room = max(0, length - characters(range))
        var (start, end) = (range.lowerBound, range.upperBound)
        let before = back(from: &start, by: room / 2)
        let after = forth(from: &end, by: room - before)
        _ = back(from: &start, by: room - before - after)
        while start > 0, start < range.lowerBound, !isSpace(start - 1), !mayBreak(start) { start += 1 }
        while end < text.count, end > range.upperBound, !isSpace(end), !mayBreak(end) { end -= 1 }
        while start < range.lowerBound, isSpace(start) { start += 1 }
        while end > range.upperBound, isSpace(end - 1) { end -= 1 }
        return start..<end
    }

    private func isSpace(_ position: Int) -> Bool { text[position] == 0x20 || (0x09...0x0D).contains(text[position]) }

    /// Whether a character of a script without spaces starts at an offset: from Thai to Burmese, Khmer, Chinese and
    /// Japanese.
    private func mayBreak(_ position: Int) -> Bool {
        guard text[position] >= 0xE0, text[position] & 0xC0 == 0xC0, position + 2 < text.count else { return false }
        let letter =
            Int(text[position] & 0x0F) << 12 | Int(text[position + 1] & 0x3F) << 6 | Int(text[position + 2] & 0x3F)
        return text[position] >= 0xF0 || 0xE00...0xEFF ~= letter || 0x1000...0x109F ~= letter
            || 0x1780...0x17FF ~= letter
            || 0x2E80...0x9FFF ~= letter
    }

    private func back(from position: inout Int, by count: Int) -> Int {
        var moved = 0
        while position > 0, moved < count {
            position -= 1
            while position > 0, text[position] & 0xC0 == 0x80 { position -= 1 }
            moved += 1
        }
        return moved
    }

    private func forth(from position: inout Int, by count: Int) -> Int {
        var moved = 0
        while position < text.count, moved < count {
            position += 1
            while position < text.count, text[position] & 0xC0 == 0x80 { position += 1 }
            moved += 1
        }
        return moved
    }
}
