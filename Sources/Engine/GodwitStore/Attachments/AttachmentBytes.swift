//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The bytes of an attachment, or a range of them, in pieces. See ``DocumentStore/bytes(of:in:)``.
public struct AttachmentBytes: AsyncSequence, Sendable {
    /// A piece of the bytes.
    public typealias Element = [UInt8]

    private enum Source: Sendable {
        case stored(Datastore, AttachmentPin, Range<Int>)
        case remote(any AsyncSequence<[UInt8], any Error> & Sendable)
    }

    private let source: Source

    /// The number of bytes of the complete sequence.
    public let count: Int

    /// Creates a sequence of bytes on this disk, in pieces of at most `attachmentChunkBytes`.
    init(of pin: AttachmentPin, in range: Range<Int>, from datastore: Datastore) {
        source = .stored(datastore, pin, range)
        count = range.count
    }

    /// Creates a sequence of bytes of a remote database.
    ///
    /// - Parameters:
    ///   - pieces: The bytes. The sequence can be read more than once, and throws if the bytes differ from the
    ///     announced bytes.
    ///   - count: The number of bytes.
    package init(_ pieces: any AsyncSequence<[UInt8], any Error> & Sendable, count: Int) {
        source = .remote(pieces)
        self.count = count
    }

    /// Creates an iterator that begins at the start of the range.
    public func makeAsyncIterator() -> Iterator {
        switch source {
        case .stored(let datastore, let pin, let range):
            Iterator(state: .stored(AttachmentReader(of: pin, in: range, from: datastore)))
        case .remote(let pieces): Iterator(state: .remote(pieces.makeAsyncIterator()))
        }
    }

    /// Reads piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        enum State {
            case stored(AttachmentReader)
            case remote(any AsyncIteratorProtocol<[UInt8], any Error>)
        }

        var state: State

        /// Returns the next piece; `nil` at the end.
        ///
        /// - Throws: ``StoreError`` if the bytes cannot be read, or if all bytes were read and do not match their
        ///   digest. In the second case, the error is thrown instead of the last piece.
        public mutating func next() async throws -> [UInt8]? {
            switch state {
            case .stored(var reader):
                let piece = try reader.next()
                state = .stored(reader)
                return piece
            case .remote(var pieces):
                let piece = try await pieces.next(isolation: nil)
                state = .remote(pieces)
                return piece
            }
        }
    }

    /// Reads all bytes into memory.
    ///
    /// - Parameter bytesMax: The largest accepted number of bytes.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/documentTooLarge`` if there are more than `bytesMax` bytes.
    public func collect(bytesMax: Int) async throws(StoreError) -> [UInt8] {
        guard count <= bytesMax else {
            throw StoreError(.documentTooLarge, "the attachment has \(count) bytes, more than \(bytesMax)")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Swift.min(count, StoreLimits.attachmentReservedBytesMax))
        do {
            for try await piece in self { bytes += piece }
        } catch {
            throw StoreError(wrapping: error, subject: "reading an attachment")
        }
        return bytes
    }
}
