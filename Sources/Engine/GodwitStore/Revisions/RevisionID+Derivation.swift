//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

// A revision id is computed from the content of the edit and from the id of the parent revision. Therefore, equal edits
// of equal parents have equal ids on every replica. For example, if a phone and a server make the same change, there is
// no conflict. CouchDB's ids depend on Erlang's encoding of terms, so other programs cannot compute them. Cloudant
// Sync's ids depended on the order of members.
//
// The hash is the first 128 bits of the SHA-256 of this input (all numbers are big-endian, all texts are UTF-8):
//
//         1 byte    the version of this framing, 1
//         4 + n     length and text of the parent's id, `generation-hash`; length 0 for a first revision
//         1 byte    1 for a deletion, otherwise 0
//         4 bytes   the number of attachments; then, in ascending order of the bytes of their names:
//             4 + n     length and text of the name
//             4 + n     length and text of the content type
//             32 bytes  SHA-256 of the attachment's plain bytes
//         8 + n     length and text of the canonical body (RFC 8785, see `JSONTape.appendCanonical`)
//
// This format must never change after a release. The test vectors are in `RevisionDerivationTests`.

extension RevisionID {
    /// The data of an attachment from which a revision id is computed.
    package struct AttachmentFingerprint: Sendable {
        /// The attachment's name.
        package let name: String
        /// The media type.
        package let contentType: String
        /// The SHA-256 of the plain bytes: 32 bytes.
        package let digest: [UInt8]

        /// Creates a fingerprint. `digest` is the SHA-256 of the plain bytes, or 32 zeros for absent bytes.
        package init(name: String, contentType: String, digest: [UInt8]) {
            self.name = name
            self.contentType = contentType
            self.digest = digest
        }
    }

    /// The id of the revision that an edit creates.
    ///
    /// - Parameters:
    ///   - parent: The revision that was edited; `nil` for the first revision of a document.
    ///   - isDeleted: Whether the edit deletes the document.
    ///   - attachments: The attachments of the new revision, in any order.
    ///   - canonicalBody: The canonical form of the body, without members that begin with an underscore.
    package static func derived(
        parent: RevisionID?, isDeleted: Bool, attachments: [AttachmentFingerprint], canonicalBody: [UInt8]
    ) -> RevisionID {
        var head: [UInt8] = []
        head.reserveCapacity(96)
        head.append(1)
        head.appendFramed(parent?.description ?? "")
        head.append(isDeleted ? 1 : 0)
        head.appendBigEndian(UInt32(clamping: attachments.count))
        for attachment in attachments.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            head.appendFramed(attachment.name)
            head.appendFramed(attachment.contentType)
            head += attachment.digest
        }
        head.appendBigEndian(UInt64(clamping: canonicalBody.count))
        var digest = MessageDigest(.sha256)
        digest.update(head)
        digest.update(canonicalBody)
        let hash = digest.finish().withUnsafeBytes { bytes in
            Hash.digest(
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
        return RevisionID(generation: (parent?.generation ?? 0) + 1, hash: hash)
    }
}

extension [UInt8] {
    fileprivate mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func appendFramed(_ text: String) {
        appendBigEndian(UInt32(clamping: text.utf8.count))
        append(contentsOf: text.utf8)
    }
}
