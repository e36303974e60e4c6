//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitObjectStore
import GodwitStore

/// A range of an object's bytes, which is read piece by piece. Only one task at a time may use it.
package struct StoredObjectReading: AsyncSequence, Sendable {
    private let object: PinnedObject
    private let range: Range<Int>

    private var pieces: [Piece] { object.record.pieces }
    private var directory: ObjectDirectory { object.directory }

    init(_ object: PinnedObject, range: Range<Int>) {
        self.object = object
        self.range = range
    }

    /// Creates the iterator over the bytes.
    package func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The iterator over the bytes.
    package struct Iterator: AsyncIteratorProtocol {
        private let reading: StoredObjectReading
        private let state = State()

        /// The position. Only threads for blocking work change it, one after the other.
        private final class State: @unchecked Sendable {
            // Proof of `Sendable`: the iterator's user awaits each call before the next one.
            var reader: BlobReader?
            var pieceIndex = 0
            /// The position of the current piece in the object.
            var pieceStart = 0
        }

        init(_ reading: StoredObjectReading) { self.reading = reading }

        /// Returns the next bytes; `nil` at the end.
        ///
        /// - Throws: ``ObjectError`` with code ``ObjectError/Code/corrupt`` if the stored bytes are damaged.
        package mutating func next() async throws(ObjectError) -> [UInt8]? {
            let (reading, state) = (reading, state)
            return try await reading.directory.run { _ in try Iterator.read(reading, state) }
        }

        private static func read(_ reading: StoredObjectReading, _ state: State) throws -> [UInt8]? {
            while true {
                if let bytes = try state.reader?.read(), !bytes.isEmpty { return bytes }
                state.reader = nil
                guard state.pieceIndex < reading.pieces.count, state.pieceStart < reading.range.upperBound else {
                    return nil
                }
                let piece = reading.pieces[state.pieceIndex]
                let pieceRange = state.pieceStart..<state.pieceStart + piece.byteCount
                let part = pieceRange.clamped(to: reading.range)
                if !part.isEmpty {
                    let (path, form) = try reading.directory.stored.file(of: piece.blob)
                    state.reader = try BlobReader(
                        piece, range: part.lowerBound - pieceRange.lowerBound..<part.upperBound - pieceRange.lowerBound,
                        at: path, form)
                }
                state.pieceIndex += 1
                state.pieceStart = pieceRange.upperBound
            }
        }
    }
}
