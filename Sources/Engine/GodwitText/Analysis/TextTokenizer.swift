//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CText
import GodwitSQLite

/// Splits texts into words with the tokenizer of an index. This type needs no table of the index. Only one thread at a
/// time may use a tokenizer.
final class TextTokenizer {
    private let handle: OpaquePointer
    private let keepsAddresses: Bool

    init(_ analyzer: TextAnalyzer, on connection: SQLiteConnection) throws {
        try analyzer.register(on: connection)
        let name = analyzer.tokenizer[0]
        let arguments = analyzer.tokenizer.dropFirst().map { Array($0.utf8CString) }
        var pointers: [UnsafePointer<CChar>] = []
        let newHandle = withPointers(arguments[...], &pointers) { pointers in
            connection.withHandle {
                godwit_text_tokenizer_open($0, name, pointers, Int32(pointers.count))
            }
        }
        guard let newHandle else {
            throw SQLiteError(code: 1, message: "SQLite has no tokenizer \(analyzer.tokenizer): its FTS5 is missing")
        }
        handle = newHandle
        keepsAddresses = analyzer.keepsAddresses
    }

    deinit { godwit_text_tokenizer_close(handle) }

    /// Returns the number of words of a text. For every analyzer, a mail address is counted as several words.
    func count(_ text: [UInt8]) -> Int {
        text.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            let characters = start.assumingMemoryBound(to: CChar.self)
            return Int(godwit_text_tokenizer_count(handle, characters, Int32(clamping: bytes.count)))
        }
    }

    /// Returns the words of a text, one per line.
    func lines(_ text: [UInt8]) -> [UInt8] {
        guard mayHaveAddresses(text) else { return plainLines(text) }
        return Array(words(text).map { Array($0.text.utf8) }.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// A word in its indexed form and in its original spelling.
    struct Word {
        let text: String
        let written: String
    }

    /// Returns the words of a text.
    func words(_ text: [UInt8]) -> [Word] {
        guard mayHaveAddresses(text) else { return plainWords(text[...]) }
        return text.split { $0 <= UInt8(ascii: " ") }.flatMap { piece in
            guard let address = Self.address(piece) else { return plainWords(piece) }
            let written = String(decoding: address, as: UTF8.self)
            return [Word(text: written.lowercased(), written: written)]
        }
    }

    private func mayHaveAddresses(_ text: [UInt8]) -> Bool { keepsAddresses && text.contains(UInt8(ascii: "@")) }

    /// Returns the mail address in a piece between spaces, without surrounding punctuation; `nil` when the piece is not
    /// an address.
    private static func address(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let punctuation = Set("<>()[]{},;:.!?\"'".utf8)
        let inner = piece.drop { punctuation.contains($0) }
        guard let end = inner.lastIndex(where: { !punctuation.contains($0) }) else { return nil }
        let sides = inner[...end].split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty, sides[1].contains(UInt8(ascii: ".")),
            inner[...end].allSatisfy({ !punctuation.contains($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        return inner[...end]
    }

    private func plainLines(_ text: [UInt8]) -> [UInt8] {
        text.withUnsafeBytes { bytes in
            var count: Int32 = 0
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                let words = godwit_text_tokenizer_words(handle, start, Int32(clamping: bytes.count), &count)
            else { return [] }
            defer { godwit_text_words_release(words) }
            return Array(UnsafeRawBufferPointer(start: words, count: Int(count)))
        }
    }

    /// A word and its range in the text.
    private struct FoundWord {
        let text: String
        let range: Range<Int>
    }

    private func plainWords(_ text: ArraySlice<UInt8>) -> [Word] {
        text.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return [] }
            var foundWords: [FoundWord] = []
            withUnsafeMutablePointer(to: &foundWords) { foundWords in
                godwit_text_tokenizer_each(handle, start, Int32(clamping: bytes.count), foundWords) {
                    foundWords, word, count, start, end in
                    let text = String(decoding: UnsafeRawBufferPointer(start: word, count: Int(count)), as: UTF8.self)
                    foundWords.assumingMemoryBound(to: [FoundWord].self).pointee
                        .append(FoundWord(text: text, range: Int(start)..<Int(end)))
                }
            }
            // The tokenizer returns an empty word for a combining character that has no base character.
            return foundWords.filter { !$0.text.isEmpty }
                .map { Word(text: $0.text, written: String(decoding: bytes[$0.range], as: UTF8.self)) }
        }
    }
}

extension TextAnalyzer {
    /// Returns the indexed words of a text in their order, without stop words. Each call opens a database in memory.
    package func words(of text: String) throws -> [String] {
        let connection = try SQLiteConnection(path: ":memory:", access: .readWrite(creating: true))
        return try TextTokenizer(self, on: connection).words(Array(text.utf8)).filter { !isStopWord($0.written) }
            .map(\.text)
    }
}

private func withPointers<Result>(
    _ arguments: ArraySlice<[CChar]>, _ pointers: inout [UnsafePointer<CChar>],
    _ body: ([UnsafePointer<CChar>]) -> Result
) -> Result {
    guard let first = arguments.first else { return body(pointers) }
    return first.withUnsafeBufferPointer { buffer in
        pointers.append(buffer.baseAddress!)
        return withPointers(arguments.dropFirst(), &pointers, body)
    }
}
