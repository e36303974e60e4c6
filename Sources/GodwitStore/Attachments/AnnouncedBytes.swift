//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes

/// Bytes of an attachment as those tell of them who have them: whatever document they come with, they are the same.
package struct AnnouncedBytes: Hashable, Sendable {
    /// In bytes.
    package let length: Int
    /// MD5 of the bytes, which CouchDB shows.
    let md5: [UInt8]

    /// - Parameter md5Text: The digest as CouchDB writes it.
    /// - Returns: `nil` when the digest is no MD5, by which the bytes could be known.
    package init?(length: Int, md5Text: String) {
        guard length >= 0, md5Text.utf8.starts(with: "md5-".utf8),
            let md5 = Base64.decode(md5Text.utf8.dropFirst(4)), md5.count == 16
        else { return nil }
        self.length = length
        self.md5 = md5
    }

    init(length: Int, md5: [UInt8]) {
        self.length = length
        self.md5 = md5
    }

    init(_ blob: StoredBlob) { self.init(length: blob.length, md5: blob.md5) }
}
