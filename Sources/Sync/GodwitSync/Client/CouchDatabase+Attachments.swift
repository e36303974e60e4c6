//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitStore

extension CouchDatabase {
    /// See ``DocumentStore/bytes(of:in:)``. The request is sent at once, and the bytes are received while the caller
    /// reads them. If the complete attachment is read and the server announced a digest of its bytes, the digest is
    /// compared at the end. A second iteration sends the request again.
    public func bytes(
        of attachment: Attachment, in range: Range<Int>? = nil
    ) async throws(StoreError) -> AttachmentBytes {
        guard case .remote(let remote) = attachment.content, remote.database.isIdenticalText(to: url) else {
            throw StoreError(.notFound, "the attachment is not stored at \(url). Save its document first.")
        }
        let range = (range ?? 0..<remote.length).clamped(to: 0..<remote.length)
        let download = AttachmentDownload(database: self, attachment: remote, range: range)
        try await download.begin()
        return AttachmentBytes(download, count: range.count)
    }
}
