//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport

/// The bytes of an attachment from an offset, verified at the end.
///
/// After the last byte, throws ``ReplicationError`` in two cases:
///
/// - The total length of the attachment, including the bytes before the offset, is not the announced length.
/// - The source began at byte 0, the announced digest is an MD5 digest of uncompressed bytes, and the digest of the
///   bytes differs from the announced digest.
struct CheckedPieces: AsyncSequence, Sendable {
    /// The bytes from the source, which may begin before the offset.
    let pieces: AttachmentStream
    let start: Int
    let attachment: ReplicatedAttachment
    /// Called for each piece that ends after the offset `start`. The argument is the number of bytes from the beginning
    /// of the attachment to the end of the piece.
    let onBytes: @Sendable (Int) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(checked: self) }

    struct Iterator: AsyncIteratorProtocol {
        private let checked: CheckedPieces
        private var pieces: AttachmentStream.Iterator
        private var md5: MessageDigest?
        /// The offset after the last byte that was read.
        private var byteOffset: Int

        init(checked: CheckedPieces) {
            self.checked = checked
            pieces = checked.pieces.makeAsyncIterator()
            byteOffset = checked.pieces.start
            md5 = byteOffset == 0 ? MessageDigest(.md5) : nil
        }

        mutating func next() async throws -> [UInt8]? {
            while let piece = try await pieces.next() {
                md5?.update(piece)
                let skippedCount = Swift.min(Swift.max(0, checked.start - byteOffset), piece.count)
                byteOffset += piece.count
                guard skippedCount < piece.count else { continue }
                checked.onBytes(byteOffset)
                return skippedCount == 0 ? piece : Array(piece[skippedCount...])
            }
            let digest = (md5?.finish()).map { AttachmentDigest.text($0) }
            if let fault = checked.attachment.fault(length: byteOffset, md5Text: digest ?? checked.attachment.digest) {
                throw ReplicationError(.network, "attachment \(checked.attachment.name): \(fault)")
            }
            return nil
        }
    }
}

extension ReplicatedAttachment {
    /// The length and digest that identify the bytes and verify them; `nil` if the announced digest is a digest of
    /// compressed bytes.
    var announced: AnnouncedBytes? { isPacked ? nil : AnnouncedBytes(length: length, md5Text: digest) }

    /// Describes the difference between the received bytes and the announced bytes; `nil` if they do not differ. The
    /// digest is compared only if the announced digest is an MD5 digest of uncompressed bytes.
    func fault(length receivedCount: Int, md5Text: String) -> String? {
        if receivedCount != length { return "\(receivedCount) bytes were received, but \(length) were announced" }
        guard !isPacked, digest.begins(with: "md5-"), !digest.isIdenticalText(to: md5Text) else { return nil }
        return "its digest is \(md5Text), but \(digest) was announced"
    }
}
