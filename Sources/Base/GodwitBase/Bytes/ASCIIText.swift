//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Swift compares texts by canonical equality and searches them by characters. A combining mark after a slash makes both
// one character, which is not equal to a slash. These methods compare bytes.
extension StringProtocol {
    /// Whether the text begins with the bytes of another text.
    package func begins(with prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the text ends with the bytes of another text.
    package func ends(with suffix: some StringProtocol) -> Bool {
        utf8.count >= suffix.utf8.count && utf8.dropFirst(utf8.count - suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// The range of the first occurrence of a part's bytes; `nil` if there is none.
    package func firstBytes(_ part: String) -> Range<Index>? {
        guard let first = part.utf8.first else { return startIndex..<startIndex }
        var rest = utf8[...]
        while let start = rest.firstIndex(of: first) {
            let candidate = rest[start...].prefix(part.utf8.count)
            if candidate.elementsEqual(part.utf8) { return start..<candidate.endIndex }
            rest = rest[rest.index(after: start)...]
        }
        return nil
    }

    /// Whether the text contains the bytes of a part.
    package func includes(_ part: String) -> Bool { firstBytes(part) != nil }

    /// The text with all occurrences of a part's bytes replaced.
    package func replacingBytes(_ part: String, with replacement: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.firstBytes(part), !range.isEmpty {
            result += rest[..<range.lowerBound] + replacement
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    /// The parts of the text between the occurrences of an ASCII character.
    package func pieces(
        at separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [SubSequence] {
        utf8.split(
            separator: UInt8(ascii: separator), maxSplits: maxSplits,
            omittingEmptySubsequences: omittingEmptySubsequences
        ).map { self[$0.startIndex..<$0.endIndex] }
    }

    /// The text with ASCII letters in lower case. Unlike `lowercased()`, this property does not turn other characters
    /// into ASCII letters. For example, the Kelvin sign remains a Kelvin sign.
    package var lowercasedASCII: String {
        let bytes = utf8.map { byte in
            UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The items of a list in a header, without the spaces and tabs around them. Empty items are omitted. The text is
    /// split by bytes, so a comma that is followed by a combining mark also separates items.
    package var commaSeparatedItems: [String] {
        utf8.split(separator: UInt8(ascii: ",")).map { String(decoding: $0.trimmingSpaces, as: UTF8.self) }
            .filter { !$0.isEmpty }
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without the spaces and tabs at their start and end.
    fileprivate var trimmingSpaces: SubSequence {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let start = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return self[endIndex...]
        }
        return self[start...last]
    }
}
