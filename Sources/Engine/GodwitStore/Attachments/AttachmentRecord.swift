//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An attachment of a stored revision: its description and the location of its bytes.
package struct AttachmentRecord: Equatable, Sendable {
    /// The attachment's name, unique in its revision.
    package let name: String
    /// The media type, for example `image/jpeg`.
    package let contentType: String
    /// The stored bytes, or the description of absent bytes.
    package var blob: StoredBlob
    /// The generation of the revision that added these bytes under this name.
    package var revisionPosition: Int

    /// The attachment's contribution to a revision id. An absent attachment contributes zeros instead of the SHA-256.
    /// Therefore, a device that has the bytes computes a different id for the same edit.
    package var fingerprint: RevisionID.AttachmentFingerprint {
        RevisionID.AttachmentFingerprint(name: name, contentType: contentType, digest: blob.digest)
    }
}

/// The bytes of one or more attachments. A database stores them only once, regardless of the number of references. The
/// bytes can also be absent (`AbsentAttachments.swift`).
package struct StoredBlob: Equatable, Sendable {
    /// The key of the row in `blobs` and part of the keys of its chunks; 0 for absent bytes.
    package let number: Int64
    /// The number of bytes.
    package let length: Int
    /// The SHA-256 of the bytes, which identifies them; zeros for absent bytes.
    package let digest: [UInt8]
    /// The MD5 of the bytes, which CouchDB reports.
    package let md5: [UInt8]

    /// The greatest number of a blob. The keys of its chunks are computed from its number.
    static let numberMax = Int64.max >> BlobTable.chunksShift
    /// The greatest length of a blob, in bytes. A blob has at most 2^24 chunks.
    static let lengthMax = StoreLimits.attachmentChunkBytes << Int(BlobTable.chunksShift)

    /// Creates the description of bytes from the values of a file.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if the number or the length is impossible.
    init(storedNumber number: Int64, length: Int, digest: [UInt8], md5: [UInt8]) throws(StoreError) {
        guard (0...StoredBlob.numberMax).contains(number), (0...StoredBlob.lengthMax).contains(length) else {
            throw .damagedRow
        }
        self.init(number: number, length: length, digest: digest, md5: md5)
    }

    /// Creates a description. The values are not checked.
    init(number: Int64, length: Int, digest: [UInt8], md5: [UInt8]) {
        (self.number, self.length, self.digest, self.md5) = (number, length, digest, md5)
    }
}

extension [AttachmentRecord] {
    /// The encoded attachments, sorted by name; `nil` if the array is empty.
    var encoded: [UInt8]? {
        guard !isEmpty else { return nil }
        var writer = ByteWriter()
        for attachment in sorted(by: { ExactText($0.name) < ExactText($1.name) }) {
            writer.append(run: [UInt8](attachment.name.utf8))
            writer.append(run: [UInt8](attachment.contentType.utf8))
            writer.append(attachment.revisionPosition)
            writer.append(Int(attachment.blob.number))
            writer.append(attachment.blob.length)
            writer.append(raw: attachment.blob.digest)
            writer.append(raw: attachment.blob.md5)
        }
        return writer.bytes
    }

    init(decoding bytes: UnsafeRawBufferPointer) throws(StoreError) {
        self = []
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            let name = try reader.text()
            let contentType = try reader.text()
            let position = try reader.number()
            let blob = try StoredBlob(
                storedNumber: Int64(try reader.number()), length: try reader.number(),
                digest: [UInt8](try reader.raw(32)), md5: [UInt8](try reader.raw(16)))
            append(
                AttachmentRecord(name: name, contentType: contentType, blob: blob, revisionPosition: position))
        }
    }
}
