//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitExchange
import GodwitHost
import GodwitJSON

/// Reads files of accounts. Each line of such a file contains one JSON object.
enum AccountLines {
    /// The maximum length of a line or of a declaration, in bytes. Complete lines that are slightly longer may be
    /// accepted, because the length is checked only after each piece of the file is read.
    private static let bytesMax = 4 << 20

    /// Reads a file that contains one JSON object.
    ///
    /// - Throws: ``CommandFailure`` when the file cannot be opened, is too long, or is not a JSON object;
    ///   ``ExchangeError`` when reading fails.
    static func object(in file: String) throws -> JSONValue {
        let reader = try ReadFile(file)
        var bytes: [UInt8] = []
        while true {
            let piece = try reader.read()
            guard !piece.isEmpty else { break }
            bytes += piece
            guard bytes.count <= bytesMax else {
                throw CommandFailure(message: "\(file) is longer than \(bytesMax) bytes.")
            }
        }
        guard let value = try? JSONValue(parsing: bytes), value.objectValue != nil else {
            throw CommandFailure(message: "\(file) is not a JSON object.")
        }
        return value
    }

    /// Calls a closure with each line of a file and its number. Empty lines are counted, but skipped.
    ///
    /// - Throws: ``CommandFailure`` when the file cannot be opened, and when a line is too long or is not JSON;
    ///   ``ExchangeError`` when reading fails; errors of the closure.
    static func each(in file: String, _ body: (_ number: Int, JSONValue) async throws -> Void) async throws {
        let reader = try ReadFile(file)
        var (pending, number) = ([UInt8](), 0)
        func take(_ line: ArraySlice<UInt8>) async throws {
            number += 1
            guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else { return }
            guard let value = try? JSONValue(parsing: Array(line)) else {
                throw CommandFailure(message: "\(file), line \(number), is not JSON.")
            }
            try await body(number, value)
        }
        while true {
            let piece = try reader.read()
            guard !piece.isEmpty else { break }
            pending += piece
            var lineStart = 0
            while let lineEnd = pending[lineStart...].firstIndex(of: UInt8(ascii: "\n")) {
                try await take(pending[lineStart..<lineEnd])
                lineStart = lineEnd + 1
            }
            pending.removeFirst(lineStart)
            guard pending.count <= bytesMax else {
                throw CommandFailure(message: "\(file), line \(number + 1), is longer than \(bytesMax) bytes.")
            }
        }
        if !pending.isEmpty { try await take(pending[...]) }
    }
}
