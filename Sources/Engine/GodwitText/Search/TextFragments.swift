//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Extracts fragments around the matches in a text.
struct TextFragments {
    let text: [UInt8]
    /// The matches as ranges of bytes, ordered by their starts. They may overlap.
    let spans: [Range<Int>]
    let style: TextHighlighter.Style

    /// Returns the fragments with the most matches, in the order of the text.
    func fragments() -> [String] {
        let matches = Self.merged(spans)
        let groups = groups(of: matches)
        let best = groups.indices.sorted {
            (groups[$1].count, $0) < (groups[$0].count, $1)
        }.prefix(max(0, min(style.fragmentsMax, TextLimits.fragmentsMax))).sorted()
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
        var firstIndex = 0
        for index in matches.indices.dropFirst()
        where characters(matches[firstIndex].lowerBound..<matches[index].upperBound) > length {
            groups.append(matches[firstIndex..<index])
            firstIndex = index
        }
        if !matches.isEmpty { groups.append(matches[firstIndex...]) }
        return groups
    }

    /// Returns the number of characters that start in a range. UTF-8 continuation bytes are not counted.
    private func characters(_ range: Range<Int>) -> Int {
        text[range].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }

    // MARK: One fragment

    private func fragment(_ matches: [Range<Int>]) -> String {
        let window = window(around: matches[0].lowerBound..<matches[matches.count - 1].upperBound)
        var bytes: [UInt8] = []
        var byteOffset = window.lowerBound
        for match in matches {
            bytes += text[byteOffset..<match.lowerBound]
            bytes += style.before.utf8
            bytes += text[match]
            bytes += style.after.utf8
            byteOffset = match.upperBound
        }
        bytes += text[byteOffset..<window.upperBound]
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Extends a range equally on both sides to the length of a fragment. After that, removes incomplete words at both
    /// ends if the script separates words with spaces.
    private func window(around range: Range<Int>) -> Range<Int> {
        let spareCount = max(0, length - characters(range))
        var (start, end) = (range.lowerBound, range.upperBound)
        let before = moveBack(from: &start, by: spareCount / 2)
        let after = moveForward(from: &end, by: spareCount - before)
        _ = moveBack(from: &start, by: spareCount - before - after)
        while start > 0, start < range.lowerBound, !isSpace(start - 1), !mayBreak(start) { start += 1 }
        while end < text.count, end > range.upperBound, !isSpace(end), !mayBreak(end) { end -= 1 }
        while start < range.lowerBound, isSpace(start) { start += 1 }
        while end > range.upperBound, isSpace(end - 1) { end -= 1 }
        return start..<end
    }

    private func isSpace(_ byteOffset: Int) -> Bool {
        text[byteOffset] == 0x20 || (0x09...0x0D).contains(text[byteOffset])
    }

    /// Whether a fragment may begin or end before the character at an offset although there is no space. This is the
    /// case for characters of Thai, Lao, Burmese, Khmer, Chinese and Japanese, and for characters beyond U+FFFF.
    private func mayBreak(_ byteOffset: Int) -> Bool {
        guard text[byteOffset] >= 0xE0, text[byteOffset] & 0xC0 == 0xC0, byteOffset + 2 < text.count else {
            return false
        }
        let letter =
            Int(text[byteOffset] & 0x0F) << 12 | Int(text[byteOffset + 1] & 0x3F) << 6
            | Int(text[byteOffset + 2] & 0x3F)
        return text[byteOffset] >= 0xF0 || 0xE00...0xEFF ~= letter || 0x1000...0x109F ~= letter
            || 0x1780...0x17FF ~= letter
            || 0x2E80...0x9FFF ~= letter
    }

    /// Moves a position back by some characters, at most to the start. Returns the number of characters.
    private func moveBack(from byteOffset: inout Int, by count: Int) -> Int {
        var movedCount = 0
        while byteOffset > 0, movedCount < count {
            byteOffset -= 1
            while byteOffset > 0, text[byteOffset] & 0xC0 == 0x80 { byteOffset -= 1 }
            movedCount += 1
        }
        return movedCount
    }

    /// Moves a position forward by some characters, at most to the end. Returns the number of characters.
    private func moveForward(from byteOffset: inout Int, by count: Int) -> Int {
        var movedCount = 0
        while byteOffset < text.count, movedCount < count {
            byteOffset += 1
            while byteOffset < text.count, text[byteOffset] & 0xC0 == 0x80 { byteOffset += 1 }
            movedCount += 1
        }
        return movedCount
    }
}
