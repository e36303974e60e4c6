//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One attachment of a stored revision: its description, and where its bytes are.
package struct AttachmentRecord: Equatable, Sendable {
    package let name: String
    package let contentType: String
    /// The stored bytes, or what stands for them.
    package var blob: StoredBlob
    /// The generation in which these bytes came to this name.
    package var revisionPosition: Int

    /// What the id of an edit is made of. That of an absent attachment has no SHA-256 but zeros: a device that has the
    /// bytes gives the same edit another id.
    package var fingerprint: RevisionID.AttachmentFingerprint {
        RevisionID.AttachmentFingerprint(name: name, contentType: contentType, digest: blob.digest)
    }
}

/// Bytes in a database's store of attachments: stored once, whatever refers to them. Or bytes that a replication left
/// where they are (`AbsentAttachments.swift`).
package struct StoredBlob: Equatable, Sendable {
    /// The row of `blobs`, which names the chunks too; 0 for bytes that are not here.
    package let number: Int64
    /// In bytes.
    package let length: Int
    /// SHA-256 of the bytes, which identifies them; zeros for bytes that are not here.
    package let digest: [UInt8]
    /// MD5 of the bytes, which CouchDB shows.
    package let md5: [UInt8]
}

extension [AttachmentRecord] {
    /// The attachments as a blob, ordered by name; `nil` for none.
    var encoded: [UInt8]? {
        guard !isEmpty else { return nil }
        var writer = ByteWriter()
        for attachment in sorted(by: { $0.name < $1.name }) {
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
            let blob = StoredBlob(
                number: Int64(try reader.number()), length: try reader.number(), digest: [UInt8](try reader.raw(32)),
                md5: [UInt8](try reader.raw(16)))
            append(
                AttachmentRecord(name: name, contentType: contentType, blob: blob, revisionPosition: position))
        }
    }
}
