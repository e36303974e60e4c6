//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// The bytes of a file in pieces. They are read by the threads for blocking work.
struct FilePieces: AsyncSequence, Sendable {
    /// The number of bytes.
    let length: Int
    private let file: SystemFile
    private let path: String

    /// Opens a file.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/storage`` if it cannot be read.
    init(_ path: String) async throws(ObjectError) {
        self.path = path
        do {
            (file, length) = try await BlockingPool.shared.run {
                let file = try SystemFile(path, O_RDONLY)
                return (file, try file.byteCount())
            }
        } catch {
            throw ObjectError(storing: error, "the file \(path)")
        }
    }

    /// Creates the iterator.
    func makeAsyncIterator() -> Iterator { Iterator(file: file, path: path) }

    /// The iterator over the pieces.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate let file: SystemFile
        fileprivate let path: String
        private var offset = 0

        fileprivate init(file: SystemFile, path: String) { (self.file, self.path) = (file, path) }

        /// Returns the next piece; `nil` at the end of the file.
        ///
        /// - Throws: ``ObjectError`` with code ``ObjectError/Code/storage`` if the file cannot be read.
        mutating func next() async throws -> [UInt8]? {
            let (file, start) = (file, offset)
            do {
                let piece = try await BlockingPool.shared.run { try file.read(ServiceLimits.filePieceBytes, at: start) }
                offset += piece.count
                return piece.isEmpty ? nil : piece
            } catch {
                throw ObjectError(storing: error, "the file \(path)")
            }
        }
    }
}
