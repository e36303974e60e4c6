//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Divides an object that is too large for one request into parts. Memory contains only one part at a time.
struct ObjectParts {
    /// The length of each part in bytes. Only the last part may be shorter.
    let partBytes: Int
    private var pieces: SourcePieces.Iterator
    /// The bytes that were read from the source but are not in a part yet.
    private var waitingBytes: ArraySlice<UInt8> = []

    /// Begins to read a source.
    ///
    /// - Parameters:
    ///   - source: The bytes.
    ///   - partBytesMin: The length of a part. If the object would have more than `countMax` parts of this length, the
    ///     parts are longer.
    ///   - countMax: The largest number of parts.
    init(_ source: SourcePieces, partBytesMin: Int, countMax: Int) {
        pieces = source.makeAsyncIterator()
        partBytes = max(partBytesMin, (source.length + countMax - 1) / countMax)
    }

    /// Reads the next part; `nil` after the last part.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/cancelled`` if the task was cancelled, or the error of
    ///   the source.
    mutating func next() async throws(ObjectError) -> [UInt8]? {
        guard !Task.isCancelled else { throw ObjectError(.cancelled, "The task was cancelled.") }
        var part: [UInt8] = []
        part.reserveCapacity(partBytes)
        while part.count < partBytes {
            if waitingBytes.isEmpty {
                guard let piece = try await nextPiece() else { break }
                waitingBytes = piece[...]
            }
            let taken = waitingBytes.prefix(partBytes - part.count)
            part += taken
            waitingBytes = waitingBytes.dropFirst(taken.count)
        }
        return part.isEmpty ? nil : part
    }

    private mutating func nextPiece() async throws(ObjectError) -> [UInt8]? {
        do {
            return try await pieces.next()
        } catch {
            throw ObjectError(reading: error, "The source of the object")
        }
    }
}
