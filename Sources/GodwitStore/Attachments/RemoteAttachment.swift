//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where the bytes of an attachment are that is in a database elsewhere.
package struct RemoteAttachment: Sendable {
    /// The database's URL, without credentials.
    package let database: String
    /// The document's id.
    package let documentID: String
    /// The revision that it was read with.
    package let revision: RevisionID
    /// The attachment's name.
    package let name: String
    /// In bytes, unpacked.
    package let length: Int
    /// `md5-` and Base64, of the bytes as they are kept there, which may be packed.
    package let digest: String
    /// Whether the digest is known to be that of the bytes themselves.
    package let isDigestOfBytes: Bool
    /// The generation in which these bytes came to this name.
    package let revisionPosition: Int

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
