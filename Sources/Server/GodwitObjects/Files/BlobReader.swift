//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore

/// Reads a range of stored bytes piece by piece. Blocks the thread for disk access.
///
/// In a sealed file, damage is found in each chunk: an error is thrown instead of returning the damaged chunk. In a
/// plain file, damage is found only if all bytes are read: an error is thrown instead of returning the last piece.
struct BlobReader {
    private let file: SystemFile
    private let piece: Piece
    private let range: Range<Int>
    private let chunks: SealedChunks?
    private var position: Int
    /// The digest of the bytes read so far. `nil` if the file is sealed or only a part of it is read, because no digest
    /// is then compared.
    private var digest: MessageDigest?

    /// Opens the file of stored bytes.
    ///
    /// - Parameter range: The bytes to read.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/corrupt`` if the file is missing or has another size.
    init(_ piece: Piece, range: Range<Int>, at path: String, _ form: BlobForm) throws {
        do {
            file = try SystemFile(path, O_RDONLY)
        } catch {
            guard error == .isMissing else { throw ObjectError(storing: error, "a stored file") }
            throw BlobReader.damage("the file \(BlobReader.name(path)) is missing")
        }
        self.piece = piece
        self.range = range
        position = range.lowerBound
        guard try file.byteCount() == BlobFiles.fileBytes(of: piece.byteCount, form) else {
            throw BlobReader.damage("the file \(BlobReader.name(path)) has another size")
        }
        if case .sealed(let key) = form {
            chunks = try SealedChunks(key, salt: try file.read(SealedChunks.saltBytes, at: 0))
        } else {
            chunks = nil
            if range == 0..<piece.byteCount { digest = MessageDigest(.sha256) }
        }
    }

    /// Returns the next bytes; empty at the end.
    mutating func read() throws -> [UInt8] {
        guard position < range.upperBound else { return [] }
        let bytes = try chunks.map { try readSealed($0) } ?? readPlain()
        guard !bytes.isEmpty else { throw BlobReader.damage("a stored file ends too early") }
        position += bytes.count
        invariant(position <= range.upperBound, "no bytes after the range are read")
        digest?.update(bytes)
        if position == range.upperBound, var digest, digest.finish() != piece.blob.digest {
            throw BlobReader.damage("a stored file has other bytes than were written")
        }
        return bytes
    }

    /// Reads all remaining bytes, to check them.
    mutating func readToEnd() throws {
        var hasMore = true
        while hasMore { hasMore = try !read().isEmpty }
    }

    private func readPlain() throws -> [UInt8] {
        try file.read(min(ObjectLimits.pieceBytes, range.upperBound - position), at: position)
    }

    private func readSealed(_ chunks: SealedChunks) throws -> [UInt8] {
        let chunk = position / ObjectLimits.sealedBytes
        let isLast = chunk == SealedChunks.chunkCount(of: piece.byteCount) - 1
        let sealed = try file.read(SealedChunks.chunkBytes, at: SealedChunks.offset(of: chunk))
        guard let bytes = chunks.open(sealed, chunk: chunk, isLast: isLast) else {
            throw BlobReader.damage("a chunk of a stored file does not match its authentication code")
        }
        let start = chunk * ObjectLimits.sealedBytes
        let end = min(start + bytes.count, range.upperBound)
        guard position < end else { return [] }
        return Array(bytes[position - start..<end - start])
    }

    private static func name(_ path: String) -> Substring { path.pieces(at: "/").last ?? "" }

    private static func damage(_ finding: String) -> ObjectError {
        ObjectError(.corrupt, "The object is damaged: \(finding). Restore it from a backup.")
    }
}
