//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Rendered text of documents, with gaps for the bytes of attachments.
///
/// The attachments may be much larger than the document, so their bytes are read when the text is sent
/// (``PinnedText``).
package struct DocumentText: Sendable {
    /// A position at which the bytes of an attachment are inserted.
    struct Gap: Sendable {
        /// The number of bytes of the text before the gap.
        let position: Int
        let blob: StoredBlob
        /// The attachment's name, for an error message.
        let name: String
        /// Whether the bytes are inserted in Base64.
        let isEncoded: Bool

        /// The length of the inserted text, in bytes.
        var length: Int { isEncoded ? (blob.length + 2) / 3 * 4 : blob.length }
    }

    /// The text without the bytes of attachments.
    package var bytes: [UInt8]
    private(set) var gaps: [Gap] = []

    /// Whether bytes of attachments are missing.
    package var hasGaps: Bool { !gaps.isEmpty }

    /// Creates a text without gaps.
    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// Adds a gap for the bytes of an attachment, in Base64 if `isEncoded`.
    package mutating func leaveGap(for attachment: AttachmentRecord, isEncoded: Bool) {
        gaps.append(
            Gap(position: bytes.count, blob: attachment.blob, name: attachment.name, isEncoded: isEncoded))
    }

    /// Appends a byte.
    package mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// Appends a text unchanged.
    package mutating func append(raw text: String) { bytes.append(raw: text) }

    /// Appends a literal unchanged.
    package mutating func append(literal text: StaticString) { bytes.append(literal: text) }

    /// Removes the text after the first `count` bytes.
    package mutating func truncate(to count: Int) {
        bytes.removeLast(bytes.count - count)
        gaps.removeAll { $0.position > count }
    }

    /// Appends bytes unchanged.
    package static func += (text: inout DocumentText, more: [UInt8]) { text.bytes += more }

    /// Appends another text with its gaps.
    package static func += (text: inout DocumentText, more: DocumentText) {
        text.gaps += more.gaps.map { gap in
            Gap(position: text.bytes.count + gap.position, blob: gap.blob, name: gap.name, isEncoded: gap.isEncoded)
        }
        text.bytes += more.bytes
    }
}

extension DocumentTable {
    /// The complete text with the bytes of its attachments.
    package func filled(_ text: DocumentText) throws -> [UInt8] {
        guard !text.gaps.isEmpty else { return text.bytes }
        var bytes: [UInt8] = []
        var position = 0
        for gap in text.gaps {
            bytes += text.bytes[position..<gap.position]
            let attachment = try attachmentBytes(gap.blob, name: gap.name)
            if gap.isEncoded { Base64.append(attachment, to: &bytes) } else { bytes += attachment }
            position = gap.position
        }
        bytes += text.bytes[position...]
        return bytes
    }
}
