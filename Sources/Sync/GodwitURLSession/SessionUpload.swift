//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitTransport

/// Copies the body of a request to a stream, from which a session reads it.
///
/// The bytes are buffered in memory: a temporary file would contain unencrypted bytes of an encrypted database.
final class SessionUpload: @unchecked Sendable {
    // Proof of `Sendable`: `output` is used only on the queue, all other properties are constant.

    /// The size of the buffer between the body and the session, in bytes.
    private static let bufferBytesMax = 1 << 20

    /// The stream from which the session reads.
    let input: InputStream
    private let output: OutputStream
    /// The queue on which writes wait for free space in the buffer.
    private let queue = DispatchQueue(label: "godwit.upload")
    private let pieces: any AsyncSequence<[UInt8], any Error> & Sendable
    private let length: Int

    /// - Returns: `nil` if the system has no pair of streams. In that case, the body must be collected.
    init?(_ pieces: any AsyncSequence<[UInt8], any Error> & Sendable, length: Int) {
        guard let (input, output) = SessionPlatform.boundStreams(byteCount: SessionUpload.bufferBytesMax) else {
            return nil
        }
        output.open()
        (self.input, self.output, self.pieces, self.length) = (input, output, pieces, length)
    }

    /// Starts to copy the body. The copy ends when the complete body is copied. It ends earlier, at the next write,
    /// if ``stop()`` was called or the session closed its stream.
    ///
    /// - Parameter onFailure: A closure that is called with an error when the copy fails. The error is the error of
    ///   the body, a ``TransportFailure`` if the body does not have the announced length, or a `CancellationError`
    ///   if the stream ended before all bytes were written.
    func begin(onFailure: @escaping @Sendable (any Error) -> Void) {
        Task {
            do {
                var missingCount = length
                for try await piece in pieces {
                    missingCount -= piece.count
                    try await write(piece)
                }
                guard missingCount == 0 else { throw TransportFailure(bytesMissing: missingCount) }
                stop()
            } catch {
                onFailure(error)
            }
        }
    }

    /// Ends the stream.
    func stop() { queue.async { self.output.close() } }

    private func write(_ piece: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { (writer: CheckedContinuation<Void, any Error>) in
            queue.async {
                var remaining = piece[...]
                while !remaining.isEmpty {
                    let count = remaining.withUnsafeBufferPointer { bytes in
                        bytes.baseAddress.map { self.output.write($0, maxLength: bytes.count) } ?? 0
                    }
                    guard count > 0 else { return writer.resume(throwing: CancellationError()) }
                    remaining.removeFirst(count)
                }
                writer.resume()
            }
        }
    }
}
