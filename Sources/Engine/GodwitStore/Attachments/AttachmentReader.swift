//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Reads the bytes of an attachment, or a range of them, in pieces, and verifies their digest.
///
/// Chunks have no checksum, so damage can be detected only after all bytes were read. The last piece is returned only
/// if the digest matches, so a caller never gets all bytes of a damaged attachment. The bytes of a range are not
/// verified.
package struct AttachmentReader: Sendable {
    private let datastore: Datastore
    private let pin: AttachmentPin
    private var remainingRange: Range<Int>
    /// The digest of the bytes read so far; `nil` if only a range is read.
    private var digest: MessageDigest?

    /// Creates a reader.
    ///
    /// - Parameter range: The range of bytes, within the attachment; `nil` for all.
    package init(of pin: AttachmentPin, in range: Range<Int>? = nil, from datastore: Datastore) {
        self.datastore = datastore
        self.pin = pin
        let completeRange = 0..<pin.blob.length
        remainingRange = range ?? completeRange
        digest = remainingRange == completeRange ? MessageDigest(.sha256) : nil
    }

    /// Whether all bytes were read.
    package var isAtEnd: Bool { remainingRange.isEmpty }

    /// Returns the next piece; `nil` at the end. The piece has at most `bytesMax` bytes and ends at the latest at the
    /// end of its chunk. `bytesMax` must be at least 1.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` instead of the last piece if the digest does not
    ///   match.
    package mutating func next(bytesMax: Int = StoreLimits.attachmentChunkBytes) throws(StoreError) -> [UInt8]? {
        guard !remainingRange.isEmpty else { return nil }
        let end = remainingRange.lowerBound + min(bytesMax, remainingRange.count)
        let piece = try datastore.attachmentChunk(pin, from: remainingRange.lowerBound, to: end)
        digest?.update(piece)
        remainingRange = remainingRange.lowerBound + piece.count..<remainingRange.upperBound
        if remainingRange.isEmpty, let actualDigest = digest?.finish(), actualDigest != pin.blob.digest {
            let error = StoreError.damagedAttachment(pin.name)
            datastore.database.note(error)
            throw error
        }
        return piece
    }
}

extension StoreError {
    /// The error for an attachment whose bytes are damaged.
    static func damagedAttachment(_ name: String?) -> StoreError {
        .damage(name.map { "the attachment \($0) is damaged" } ?? "an attachment is damaged")
    }
}
