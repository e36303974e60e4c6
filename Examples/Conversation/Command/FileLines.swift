//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// The lines of a file, read in pieces.
struct FileLines: Sequence, IteratorProtocol {
    private static let pieceBytes = 1 << 20
    /// The maximum length of a line, in bytes.
    private static let lineBytesMax = 16 << 20

    private let file: FileHandle
    private var buffer = Data()
    private var isAtEnd = false

    /// - Parameter path: The file; - for the standard input. `nil` if it cannot be read.
    init?(_ path: String) {
        guard let file = path == "-" ? .standardInput : FileHandle(forReadingAtPath: path) else { return nil }
        self.file = file
    }

    /// Returns the next line without its end.
    mutating func next() -> [UInt8]? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(buffer[..<end])
                buffer = buffer[(end + 1)...]
                return line
            }
            guard !isAtEnd, buffer.count <= Self.lineBytesMax else { break }
            let piece = (try? file.read(upToCount: Self.pieceBytes)) ?? Data()
            isAtEnd = piece.isEmpty
            buffer = Data(buffer) + piece
        }
        guard !buffer.isEmpty else { return nil }
        defer { buffer = Data() }
        return Array(buffer)
    }
}
