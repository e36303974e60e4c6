//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes

/// Reads the bytes of an attachment, or a range of them, in pieces, and compares them with their digest.
///
/// Chunks have no checksum of their own, so that only a reader of all bytes can tell whether they are damaged. It does so
/// with the last piece, which it gives only when the digest matches: nobody gets a damaged attachment whole.
package struct AttachmentReader: Sendable {
    private let datastore: Datastore
    private let pin: AttachmentPin
    private var left: Range<Int>
    /// The digest of the bytes so far; `nil` for a reader of a part.
    private var digest: MessageDigest?

    /// - Parameter range: The bytes wanted, within the attachment; `nil` for all.
    package init(of pin: AttachmentPin, in range: Range<Int>? = nil, from datastore: Datastore) {
        self.datastore = datastore
        self.pin = pin
        let all = 0..<pin.blob.length
        left = range ?? all
        digest = left == all ? MessageDigest(.sha256) : nil
    }

    /// Whether nothing is left to read.
    package var isAtEnd: Bool { left.isEmpty }

    /// The next piece, which ends with its chunk at the latest; `nil` at the end.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` in the place of the last piece when the bytes are not
    ///   those of the digest.
    package mutating func next(bytesMax: Int = StoreLimits.attachmentChunkBytes) throws(StoreError) -> [UInt8]? {
        guard !left.isEmpty else { return nil }
        let end = min(left.lowerBound + bytesMax, left.upperBound)
        let piece = try datastore.attachmentChunk(pin, from: left.lowerBound, to: end)
        digest?.update(piece)
        left = left.lowerBound + piece.count..<left.upperBound
        if left.isEmpty, let found = digest?.finish(), found != pin.blob.digest {
            let damage = StoreError.damagedAttachment(pin.name)
            datastore.database.note(damage)
            throw damage
        }
        return piece
    }
}

extension StoreError {
    /// The failure of an attachment whose bytes are not those that were stored.
    static func damagedAttachment(_ name: String?) -> StoreError {
        .damage(name.map { "the attachment \($0) is damaged" } ?? "an attachment is damaged")
    }
}
