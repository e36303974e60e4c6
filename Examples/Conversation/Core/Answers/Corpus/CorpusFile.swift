//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CAnswerData
import Foundation
import GodwitJSON

/// A corpus as JSON Lines, optionally compressed with gzip. It is read in pieces.
///
/// Each line is an object with `question` and `answer`, and optionally `id`, `focus`, `synonyms`, `kind`, `source` and
/// `url`. Empty lines are ignored.
public struct CorpusFile: Sendable {
    private static let pieceBytes = 256 << 10
    /// The maximum number of bytes of an incomplete line that are stored while the rest of the line is read.
    private static let lineBytesMax = 16 << 20
    private static let batchCount = 500
    private static let gzipStart: [UInt8] = [0x1F, 0x8B]

    private enum Source {
        case path(String)
        case bytes([UInt8])
    }

    private let source: Source

    /// The reason why a corpus cannot be read.
    public struct Failure: Error, CustomStringConvertible {
        /// A sentence that describes the reason. If a line is wrong, the sentence contains the number of the line.
        public let description: String

        /// Creates a reason.
        public init(description: String) { self.description = description }
    }

    /// Creates a corpus that is read from a file.
    ///
    /// - Parameter path: The path; `-` for the standard input.
    /// - Throws: ``Failure`` if the file cannot be opened.
    public init(path: String) throws(Failure) {
        source = .path(path == "-" ? "/dev/stdin" : path)
        guard path != "-" else { return }
        _ = try CorpusFile.open(path)
    }

    /// Creates a corpus that is read from the content of a file.
    public init(_ bytes: [UInt8]) { source = .bytes(bytes) }

    /// The corpus of questions about health that is embedded in the program.
    public static let embedded: CorpusFile = {
        var size = 0
        return CorpusFile(answer_corpus(&size).map { Array(UnsafeBufferPointer(start: $0, count: size)) } ?? [])
    }()

    private static func open(_ path: String) throws(Failure) -> FileHandle {
        do {
            return try FileHandle(forReadingFrom: URL(filePath: path))
        } catch {
            throw Failure(description: "\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// Reads the questions, in batches of at most 500. If several lines have the same id, `~2`, `~3` and so on are
    /// appended to the ids of the later lines.
    ///
    /// - Parameter receive: A closure that gets each batch.
    /// - Returns: The number of questions.
    /// - Throws: ``Failure`` for a line that is too long or is not a question with an answer, and for a file that
    ///   cannot be read or decompressed; the error of the decompressor if the bytes that were passed to ``init(_:)``
    ///   are damaged; errors of `receive`.
    public func read(_ receive: ([QuestionAnswer]) async throws -> Void) async throws -> Int {
        var lines = Lines()
        switch source {
        case .bytes(let bytes): try await unpacked(bytes, from: nil) { try await lines.append($0, receive) }
        case .path(let path):
            do {
                let file = try CorpusFile.open(path)
                let first = try CorpusFile.piece(of: file)
                try await unpacked(first, from: file) { try await lines.append($0, receive) }
            } catch let failure as GzipReader.Failure {
                throw Failure(description: "\(path) cannot be decompressed: \(failure.description).")
            }
        }
        return try await lines.finish(receive)
    }

    private static func piece(of file: FileHandle) throws(Failure) -> [UInt8] {
        do {
            return Array(try file.read(upToCount: pieceBytes) ?? Data())
        } catch {
            throw Failure(description: "The corpus cannot be read: \(error.localizedDescription)")
        }
    }

    /// Calls `receive` with each piece of the decompressed content.
    private func unpacked(
        _ first: [UInt8], from file: FileHandle?, _ receive: ([UInt8]) async throws -> Void
    ) async throws {
        let unpacker = first.starts(with: CorpusFile.gzipStart) ? GzipReader() : nil
        var piece = first
        while !piece.isEmpty {
            if let unpacker { try await unpacker.append(piece, receive) } else { try await receive(piece) }
            piece = try file.map { file throws(Failure) in try CorpusFile.piece(of: file) } ?? []
        }
        try unpacker?.finish()
    }

    /// The beginning of an incomplete line, and the questions that were not passed to `receive` yet.
    private struct Lines {
        private var rest: [UInt8] = []
        private var batch: [QuestionAnswer] = []
        /// The number of lines that were read so far, and the number of questions among them.
        private var (number, count) = (0, 0)
        private var seen: [[UInt8]: Int] = [:]

        mutating func append(_ bytes: [UInt8], _ receive: ([QuestionAnswer]) async throws -> Void) async throws {
            var start = bytes.startIndex
            while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                try add(rest.isEmpty ? Array(bytes[start..<end]) : rest + bytes[start..<end])
                rest = []
                start = end + 1
                guard batch.count == CorpusFile.batchCount else { continue }
                try await receive(batch)
                batch = []
            }
            rest += bytes[start...]
            guard rest.count <= CorpusFile.lineBytesMax else {
                throw Failure(description: "Line \(number + 1) has more than \(CorpusFile.lineBytesMax >> 20) MB.")
            }
        }

        mutating func finish(_ receive: ([QuestionAnswer]) async throws -> Void) async throws -> Int {
            if !rest.isEmpty { try add(rest) }
            if !batch.isEmpty { try await receive(batch) }
            return count
        }

        private mutating func add(_ line: [UInt8]) throws(Failure) {
            number += 1
            guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else { return }
            count += 1
            guard let object = (try? JSONValue(parsing: line))?.objectValue,
                var pair = QuestionAnswer(line: object)
            else { throw Failure(description: "Line \(number) is no object with a question and an answer.") }
            // A corpus may use an id for several questions.
            let repetition = seen[Array(pair.id.utf8), default: 0] + 1
            seen[Array(pair.id.utf8)] = repetition
            if repetition > 1 { pair.id += "~\(repetition)" }
            batch.append(pair)
        }
    }
}
