//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The length and the digest of an attachment's bytes. A peer announces both before it sends the bytes.
package struct AnnouncedBytes: Hashable, Sendable {
    /// The number of bytes.
    package let length: Int
    /// The MD5 of the bytes, which CouchDB reports.
    let md5: [UInt8]

    /// Creates a description of announced bytes.
    ///
    /// - Parameter md5Text: The digest in CouchDB's form.
    /// - Returns: `nil` if the digest is not an MD5, or `length` is negative.
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
