//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The bytes of an attachment, read on demand.
public struct AttachmentStream: AsyncSequence, Sendable {
    /// A piece of the bytes.
    public typealias Element = [UInt8]

    /// The offset of the first byte in the attachment; 0 if the server does not support ranges.
    public let start: Int

    private let pieces: any AsyncSequence<[UInt8], any Error> & Sendable

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - start: The offset of the first byte.
    ///   - pieces: The bytes.
    public init(start: Int, _ pieces: any AsyncSequence<[UInt8], any Error> & Sendable) {
        self.start = start
        self.pieces = pieces
    }

    /// Reads from ``start`` to the end.
    public func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces.makeAsyncIterator()) }

    /// Reads piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        var pieces: any AsyncIteratorProtocol<[UInt8], any Error>

        /// Returns the next piece, or `nil` at the end.
        public mutating func next() async throws -> [UInt8]? { try await pieces.next(isolation: nil) }
    }
}
