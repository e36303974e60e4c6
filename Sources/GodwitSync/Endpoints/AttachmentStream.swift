//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The bytes of an attachment, read as they are asked for.
public struct AttachmentStream: AsyncSequence, Sendable {
    /// A piece of the bytes.
    public typealias Element = [UInt8]

    /// Where in the attachment the bytes begin: at the beginning when the peer cannot do better.
    public let start: Int

    private let pieces: any AsyncSequence<[UInt8], any Error> & Sendable

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - start: Where in the attachment the bytes begin.
    ///   - pieces: The bytes.
    public init(start: Int, _ pieces: any AsyncSequence<[UInt8], any Error> & Sendable) {
        self.start = start
        self.pieces = pieces
    }

    /// Reads from ``start`` on.
    public func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces.makeAsyncIterator()) }

    /// Reads piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        var pieces: any AsyncIteratorProtocol<[UInt8], any Error>

        /// The next piece; `nil` at the end.
        public mutating func next() async throws -> [UInt8]? { try await pieces.next(isolation: nil) }
    }
}
