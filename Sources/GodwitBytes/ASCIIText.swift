//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension StringProtocol {
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
