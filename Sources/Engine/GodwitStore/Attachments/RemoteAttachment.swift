//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The location of an attachment's bytes in a remote database.
package struct RemoteAttachment: Sendable {
    /// The database's URL, without credentials.
    package let database: String
    /// The document's id.
    package let documentID: String
    /// The revision of the document that was read.
    package let revision: RevisionID
    /// The attachment's name.
    package let name: String
    /// The number of bytes, uncompressed.
    package let length: Int
    /// The greatest length that is accepted from a server, 1 TiB. With this maximum, the sum of the lengths of a
    /// document's attachments cannot overflow.
    package static let lengthMax = 1 << 40
    /// The digest, `md5-` and Base64, of the bytes as the server stores them. These bytes may be compressed.
    package let digest: String
    /// Whether the digest is known to be the digest of the uncompressed bytes.
    package let isDigestOfBytes: Bool
    /// The generation of the revision that added these bytes under this name.
    package let revisionPosition: Int

    /// Creates a description of an attachment from the values of its properties.
    package init(
        database: String, documentID: String, revision: RevisionID, name: String, length: Int, digest: String,
        isDigestOfBytes: Bool, revisionPosition: Int
    ) {
        self.database = database
        self.documentID = documentID
        self.revision = revision
        self.name = name
        self.length = length
        self.digest = digest
        self.isDigestOfBytes = isDigestOfBytes
        self.revisionPosition = revisionPosition
    }
}
