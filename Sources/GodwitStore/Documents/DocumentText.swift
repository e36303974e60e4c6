//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes

/// A text that documents were rendered into, with gaps where the bytes of attachments belong.
///
/// A document may be small and its attachments together may not, so that their bytes are read when the text is sent
/// (``PinnedText``).
package struct DocumentText: Sendable {
    /// A place where the bytes of an attachment belong.
    struct Gap: Sendable {
        /// How much of the text stands before it.
        let place: Int
        let blob: StoredBlob
        /// The attachment's name, for the message of an error.
        let name: String
        /// Whether they stand there in Base64, or as they are.
        let isEncoded: Bool

        /// The length of what belongs there.
        var length: Int { isEncoded ? (blob.length + 2) / 3 * 4 : blob.length }
    }

    /// The text without what belongs into its gaps.
    package var bytes: [UInt8]
    private(set) var gaps: [Gap] = []

    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// Leaves a gap for the bytes of an attachment: in Base64, as JSON has them, or as they are.
    package mutating func leaveGap(for attachment: AttachmentRecord, isEncoded: Bool) {
        gaps.append(
            Gap(place: bytes.count, blob: attachment.blob, name: attachment.name, isEncoded: isEncoded))
    }

    package mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// Appends a text as it is.
    package mutating func append(raw text: String) { bytes.append(raw: text) }

    /// Appends a literal as it is.
    package mutating func append(literal text: StaticString) { bytes.append(literal: text) }

    /// Takes away all behind a length, in bytes.
    package mutating func truncate(to count: Int) {
        bytes.removeLast(bytes.count - count)
        gaps.removeAll { $0.place > count }
    }

    package static func += (text: inout DocumentText, more: [UInt8]) { text.bytes += more }

    package static func += (text: inout DocumentText, more: DocumentText) {
        text.gaps += more.gaps.map { gap in
            Gap(place: text.bytes.count + gap.place, blob: gap.blob, name: gap.name, isEncoded: gap.isEncoded)
        }
        text.bytes += more.bytes
    }
}

extension DocumentTable {
    /// A text with its attachments, whole.
    package func filled(_ text: DocumentText) throws -> [UInt8] {
        guard !text.gaps.isEmpty else { return text.bytes }
        var bytes: [UInt8] = []
        var place = 0
        for gap in text.gaps {
            bytes += text.bytes[place..<gap.place]
            let attachment = try attachmentBytes(gap.blob, name: gap.name)
            if gap.isEncoded { Base64.append(attachment, to: &bytes) } else { bytes += attachment }
            place = gap.place
        }
        bytes += text.bytes[place...]
        return bytes
    }
}
