//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The digests of attachments in CouchDB's form: `md5-` and Base64.
package enum AttachmentDigest {
    /// The text for a digest of 16 bytes.
    package static func text(_ md5: [UInt8]) -> String {
        var text = Array("md5-".utf8)
        Base64.append(md5, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The text for the digest of some bytes.
    package static func text(of bytes: [UInt8]) -> String { text(MessageDigest.Algorithm.md5.digest(of: bytes)) }
}
