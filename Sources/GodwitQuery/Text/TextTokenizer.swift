//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CTextRank
import GodwitSQLite

/// The tokenizer of an index, used without a table.
final class TextTokenizer {
    private let handle: OpaquePointer

    init(_ analyzer: TextAnalyzer, on connection: SQLiteConnection) throws {
        let name = analyzer.tokenizer[0]
        let arguments = analyzer.tokenizer.dropFirst().map { Array($0.utf8CString) }
        var pointers: [UnsafePointer<CChar>] = []
        let made = withPointers(arguments[...], &pointers) { pointers in
            connection.withHandle {
                godwit_text_tokenizer_open($0, name, pointers, Int32(pointers.count))
            }
        }
        guard let made else {
            throw SQLiteError(code: 1, message: "SQLite has no tokenizer \(analyzer.tokenizer): its FTS5 is missing")
        }
        handle = made
    }

    deinit { godwit_text_tokenizer_close(handle) }

    /// How many words a text has.
    func count(_ text: [UInt8]) -> Int {
        text.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            let characters = start.assumingMemoryBound(to: CChar.self)
            return Int(godwit_text_tokenizer_count(handle, characters, Int32(bytes.count)))
        }
    }

    func count(_ text: String) -> Int { count(Array(text.utf8)) }

    /// The words of a text, each on a line of its own.
    func lines(_ text: [UInt8]) -> [UInt8] {
        text.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                let words = godwit_text_tokenizer_words(handle, start, Int32(bytes.count))
            else { return [] }
            defer { godwit_text_words_release(words) }
            return Array(String(cString: words).utf8)
        }
    }
}

extension TextAnalyzer {
    /// The words that an index has of a text, in their order, without stop words.
    package func words(of text: String) throws -> [String] {
        let connection = try SQLiteConnection(path: ":memory:", access: .readWrite(creating: true))
        let lines = try TextTokenizer(self, on: connection).lines(Array(text.utf8))
        return lines.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            .filter { !stopWords.contains($0) }
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
