//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A parameter's value with its character set: `UTF-8''na%C3%AFve` (RFC 5987, now RFC 8187).
enum ExtendedValue {
    /// Decodes a value.
    ///
    /// - Returns: The text; `nil` when the value is malformed, the character set is neither UTF-8 nor ISO 8859-1, or
    ///   the bytes are not valid UTF-8.
    static func decoded(_ value: String) -> String? {
        let pieces = Array(value.utf8).split(separator: .apostrophe, maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, let bytes = [UInt8](percentEncoded: pieces[2]) else { return nil }
        switch pieces[0].text.lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            var text = ""
            for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            return text
        default: return nil
        }
    }

    /// Encodes a text in UTF-8, with all bytes escaped except letters, digits and `-._~`.
    static func encoded(_ text: String) -> String {
        "UTF-8''" + text.percentEncoded(keeping: nil)
    }
}
