//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitObjectStore
import GodwitStore

/// Receives the bytes of an object, or of a part of an object, into a temporary file. If the upload is not finished,
/// the file is removed.
///
/// Only one task at a time may use a writer. Memory contains only one piece of the bytes.
package final class BlobWriter: Sendable {
    private struct State {
        var file: SystemFile?
        var pending: [UInt8] = []
        var sha256 = MessageDigest(.sha256)
        var md5 = MessageDigest(.md5)
        var byteCount = 0
        var chunkCount = 0
        var isTaken = false
    }

    /// The finished bytes of an upload.
    struct Result: Sendable {
        let piece: Piece
        /// The MD5 in hexadecimal digits.
        let md5: String
    }

    let temporaryPath: String
    let form: BlobForm
    private let chunks: SealedChunks?
    private let state: BlockingState

    /// The state. Only threads for blocking work change it, one after the other.
    private final class BlockingState: @unchecked Sendable {
        // Proof of `Sendable`: the writer's user awaits each call before the next one.
        var state = State()
    }

    /// The number of bytes that are written to the file in one call.
    private var pieceBytes: Int { chunks == nil ? ObjectLimits.pieceBytes : ObjectLimits.sealedBytes }

    /// Creates the temporary file. Blocks the thread for disk access.
    init(_ files: BlobFiles, form: BlobForm) throws {
        self.form = form
        temporaryPath = files.newUploadPath()
        state = BlockingState()
        let file = try SystemFile(temporaryPath, O_WRONLY | O_CREAT | O_EXCL)
        state.state.file = file
        if case .sealed(let key) = form {
            let salt = [UInt8].random(count: SealedChunks.saltBytes)
            chunks = try SealedChunks(key, salt: salt)
            try file.write(salt)
        } else {
            chunks = nil
        }
    }

    deinit {
        if !state.state.isTaken { unlink(temporaryPath) }
    }

    /// The number of received bytes.
    package var byteCount: Int { state.state.byteCount }

    /// Appends bytes. Waits for the disk when a piece is complete.
    package func append(_ bytes: [UInt8]) async throws(ObjectError) {
        state.state.pending += bytes
        state.state.byteCount += bytes.count
        // The last chunk is sealed in another way. Therefore a complete chunk waits in memory until the next byte shows
        // that this chunk is not the last one.
        guard state.state.pending.count > pieceBytes else { return }
        do {
            try await BlockingPool.shared.run { try self.writePending(keeping: 1) }
        } catch {
            throw ObjectError(storing: error, "an upload")
        }
    }

    /// Appends bytes. Blocks the thread for disk access.
    func appendBlocking(_ bytes: [UInt8]) throws {
        state.state.pending += bytes
        state.state.byteCount += bytes.count
        try writePending(keeping: 1)
    }

    /// Writes complete pieces.
    ///
    /// - Parameter keeping: The number of bytes that must remain in memory.
    private func writePending(keeping kept: Int) throws {
        var start = 0
        while state.state.pending.count - start >= pieceBytes + kept {
            try write(Array(state.state.pending[start..<start + pieceBytes]), isLast: false)
            start += pieceBytes
        }
        state.state.pending.removeFirst(start)
        invariant(state.state.pending.count < pieceBytes + kept, "complete pieces are written")
    }

    private func write(_ bytes: [UInt8], isLast: Bool) throws {
        state.state.sha256.update(bytes)
        state.state.md5.update(bytes)
        guard let file = state.state.file else { throw ObjectError(.closed, "The upload is finished.") }
        if let chunks {
            try file.write(try chunks.seal(bytes, chunk: state.state.chunkCount, isLast: isLast))
            state.state.chunkCount += 1
        } else {
            try file.write(bytes)
        }
    }

    /// Writes the last bytes and flushes the file. Blocks the thread for disk access.
    func finish() throws -> Result {
        try writePending(keeping: 1)
        if chunks != nil || !state.state.pending.isEmpty { try write(state.state.pending, isLast: true) }
        state.state.pending = []
        invariant(
            chunks == nil || state.state.chunkCount == SealedChunks.chunkCount(of: state.state.byteCount),
            "a sealed file has the chunks that its reader expects")
        try state.state.file?.flush()
        state.state.file = nil
        return Result(
            piece: Piece(blob: BlobID(digest: state.state.sha256.finish()), byteCount: state.state.byteCount),
            md5: state.state.md5.finish().hexadecimal)
    }

    /// Records that the temporary file was moved to its final path. It is then not removed when the writer is
    /// deallocated.
    func markMoved() { state.state.isTaken = true }
}
