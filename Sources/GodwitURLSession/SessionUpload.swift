//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Darwin)
    import Foundation

    /// A request's body on its way from who makes it to a session, which reads it from a stream.
    ///
    /// It goes through memory: a file beside would hold the bytes of an encrypted database in the clear. Foundation on Linux
    /// has no pair of bound streams, and all its sessions share one queue, so that a stream that waits for bytes would
    /// hold up every request of the process: there a body is collected first.
    final class SessionUpload: @unchecked Sendable {
        // Proof of `Sendable`: `output` is used on the queue alone, all else is constant.

        /// Bytes between maker and session.
        private static let bufferBytesMax = 1 << 20

        /// Where the session reads.
        let input: InputStream
        private let output: OutputStream
        /// Where a write waits for room.
        private let queue = DispatchQueue(label: "godwit.upload")
        private let pieces: any AsyncSequence<[UInt8], any Error> & Sendable
        private let length: Int

        init(_ pieces: any AsyncSequence<[UInt8], any Error> & Sendable, length: Int) {
            var input: InputStream?
            var output: OutputStream?
            Stream.getBoundStreams(
                withBufferSize: SessionUpload.bufferBytesMax, inputStream: &input, outputStream: &output)
            guard let input, let output else { preconditionFailure("out of memory for a pair of streams") }
            output.open()
            (self.input, self.output, self.pieces, self.length) = (input, output, pieces, length)
        }

        /// Lets the bytes flow, until they are at their end or ``stop()`` is called.
        ///
        /// - Parameter onFailure: Called with what the maker threw, or when its bytes are not as many as it said.
        func begin(onFailure: @escaping @Sendable (any Error) -> Void) {
            Task {
                do {
                    var rest = length
                    for try await piece in pieces {
                        rest -= piece.count
                        try await write(piece)
                    }
                    guard rest == 0 else { throw TransportFailure(bytesMissing: rest) }
                    stop()
                } catch {
                    onFailure(error)
                }
            }
        }

        /// The session gets no more.
        func stop() { queue.async { self.output.close() } }

        private func write(_ piece: [UInt8]) async throws {
            try await withCheckedThrowingContinuation { (writer: CheckedContinuation<Void, any Error>) in
                queue.async {
                    var rest = piece[...]
                    while !rest.isEmpty {
                        let count = rest.withUnsafeBufferPointer { bytes in
                            bytes.baseAddress.map { self.output.write($0, maxLength: bytes.count) } ?? 0
                        }
                        guard count > 0 else { return writer.resume(throwing: CancellationError()) }
                        rest.removeFirst(count)
                    }
                    writer.resume()
                }
            }
        }
    }
#endif
