//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CTextRank
import GodwitSQLite

/// The tokenizer of an index, used without a table.
final class TextTokenizer {
    private let handle: OpaquePointer
    private let keepsAddresses: Bool

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
        keepsAddresses = analyzer.keepsAddresses
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
        guard keepsAddresses, text.contains(UInt8(ascii: "@")) else { return plainLines(text[...]) }
        let pieces = text.split { $0 <= UInt8(ascii: " ") }.map { piece in
            Self.address(piece).map { Array(String(decoding: $0, as: UTF8.self).lowercased().utf8) }
                ?? plainLines(piece)
        }
        return Array(pieces.filter { !$0.isEmpty }.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// The address that a piece between spaces is, without what stands around it; `nil` when it is none.
    private static func address(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let around = Set("<>()[]{},;:.!?\"'".utf8)
        let inner = piece.drop { around.contains($0) }
        guard let end = inner.lastIndex(where: { !around.contains($0) }) else { return nil }
        let sides = inner[...end].split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty, sides[1].contains(UInt8(ascii: ".")),
            inner[...end].allSatisfy({ !around.contains($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        return inner[...end]
    }

    private func plainLines(_ text: ArraySlice<UInt8>) -> [UInt8] {
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
