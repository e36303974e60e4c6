//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// The indexed texts of one document, by columns.
struct TextContent {
    /// The texts of all columns that have a text.
    private(set) var texts: [(column: Int, text: [UInt8])] = []

    var isEmpty: Bool { texts.isEmpty }

    /// A word that the `mark` column of every document contains, so that a search for this word finds all documents. It
    /// is a private-use character.
    static let mark = "\u{E0F5}"
    private static let markBytes = Array(mark.utf8)

    mutating func append(_ text: some Collection<UInt8>, to column: Int) {
        if let index = texts.firstIndex(where: { $0.column == column }) {
            texts[index].text.append(UInt8(ascii: "\n"))
            texts[index].text.append(contentsOf: text)
        } else {
            texts.append((column, Array(text)))
        }
    }

    /// Returns the indexed text of a value: without ``mark``, and without NUL, at which SQLite's functions stop.
    static func text(of value: Int, in tape: JSONTape) -> [UInt8] {
        guard tape.kind(value) == .string else { return Array(tape.slice(value)) }
        return cleaned(Array(tape.string(value).utf8))
    }

    /// Returns a text without ``mark`` and without NUL, in place of which there are spaces.
    static func cleaned(_ bytes: [UInt8]) -> [UInt8] {
        var text = bytes
        for index in text.indices where text[index] == 0 { text[index] = UInt8(ascii: " ") }
        guard text.contains(markBytes[0]) else { return text }
        for index in text.indices where text[index...].starts(with: markBytes) {
            text.replaceSubrange(index..<index + markBytes.count, with: Array("   ".utf8))
        }
        return text
    }
}

// MARK: Serialization

/// The texts as bytes. Each text is encoded as its column, its length and its bytes.
extension TextContent {
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: texts.reduce(0) { $0 + $1.text.count + 6 })
        for (column, text) in texts {
            writer.append(column)
            writer.append(run: text)
        }
        return writer.bytes
    }

    init(bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            while !reader.isAtEnd, let column = try? reader.number(), let text = try? reader.run() {
                texts.append((column, Array(text)))
            }
        }
    }
}
