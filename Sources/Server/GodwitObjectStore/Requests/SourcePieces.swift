//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitTransport

/// The bytes of a source in pieces. The number of bytes is checked.
///
/// The last piece is only delivered after the source has ended. If a stream is longer than its declared length, the
/// last piece is not delivered. Therefore the service never gets a complete body, and cannot store the beginning of the
/// stream as an object.
package struct SourcePieces: AsyncSequence, Sendable {
    /// The number of bytes.
    let length: Int
    private let pieces: any AsyncSequence<[UInt8], any Error> & Sendable
    private let firstFailure = FirstFailure()

    /// Opens a source.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/storage`` if a file cannot be read, or
    ///   ``ObjectError/Code/invalidRequest`` if the length of a stream is negative.
    package init(_ source: ObjectSource) async throws(ObjectError) {
        switch source {
        case .bytes(let bytes):
            length = bytes.count
            pieces = OnePiece(bytes: bytes)
        case .file(let path):
            let file = try await FilePieces(path)
            length = file.length
            pieces = file
        case .stream(let stream, let length):
            guard length >= 0 else { throw ObjectError(.invalidRequest, "The length of a stream is negative.") }
            self.length = length
            pieces = stream
        }
    }

    /// The error that ended the reading; `nil` if none occurred. This property is needed because a transport reports
    /// such an error only as a lost connection.
    var failure: ObjectError? { firstFailure.error.withLock { $0 } }

    /// The body of a request.
    var body: TransportRequest.Body { .stream(self, length: length) }

    /// Creates the iterator.
    package func makeAsyncIterator() -> Iterator {
        Iterator(pieces: pieces.makeAsyncIterator(), length: length, firstFailure: firstFailure)
    }

    /// The iterator over the pieces.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: any AsyncIteratorProtocol<[UInt8], any Error>
        fileprivate let length: Int
        fileprivate let firstFailure: FirstFailure
        private var totalCount = 0

        fileprivate init(
            pieces: any AsyncIteratorProtocol<[UInt8], any Error>, length: Int, firstFailure: FirstFailure
        ) {
            self.pieces = pieces
            self.length = length
            self.firstFailure = firstFailure
        }

        /// Returns the next piece; `nil` after the last piece.
        ///
        /// - Throws: ``ObjectError``, with code ``ObjectError/Code/invalidRequest`` if the source is longer or shorter
        ///   than its length.
        package mutating func next() async throws -> [UInt8]? {
            do {
                return try await checkedPiece()
            } catch {
                let failure = ObjectError(reading: error, "The source of the object")
                firstFailure.error.withLock { $0 = $0 ?? failure }
                throw failure
            }
        }

        private mutating func checkedPiece() async throws -> [UInt8]? {
            guard let piece = try await filledPiece() else {
                guard totalCount == length else {
                    throw ObjectError(
                        .invalidRequest, "The source ended after \(totalCount) of \(length) bytes. Nothing was stored.")
                }
                return nil
            }
            totalCount += piece.count
            let isLonger = try await totalCount == length ? filledPiece() != nil : totalCount > length
            guard !isLonger else {
                throw ObjectError(.invalidRequest, "The source has more than \(length) bytes. Nothing was stored.")
            }
            return piece
        }

        /// Returns the next piece that is not empty; `nil` at the end.
        private mutating func filledPiece() async throws -> [UInt8]? {
            while let piece = try await pieces.next(isolation: nil) {
                if !piece.isEmpty { return piece }
            }
            return nil
        }
    }
}

/// The first error of a source.
private final class FirstFailure: Sendable {
    let error = Mutex<ObjectError?>(nil)
}

/// Bytes in memory as a sequence of one piece.
struct OnePiece: AsyncSequence, Sendable {
    /// The bytes.
    let bytes: [UInt8]

    /// Creates the iterator.
    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes) }

    /// The iterator over the piece.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate var bytes: [UInt8]?

        /// Returns the piece; `nil` after it.
        mutating func next() async throws -> [UInt8]? { bytes.take() }
    }
}
