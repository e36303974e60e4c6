//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitClient
import GodwitStore

/// The bytes of an attachment from a place on, with a failure behind them when they are not those that were announced.
struct CheckedPieces: AsyncSequence, Sendable {
    /// What the source gives; from the beginning when it cannot do better.
    let pieces: AttachmentStream
    let start: Int
    let attachment: ReplicatedAttachment
    /// Told how many bytes there were, with those before the start.
    let onBytes: @Sendable (Int) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(checked: self) }

    struct Iterator: AsyncIteratorProtocol {
        private let checked: CheckedPieces
        private var pieces: AttachmentStream.Iterator
        private var md5: MessageDigest?
        /// The place that was read to.
        private var count: Int

        init(checked: CheckedPieces) {
            self.checked = checked
            pieces = checked.pieces.makeAsyncIterator()
            count = checked.pieces.start
            md5 = count == 0 ? MessageDigest(.md5) : nil
        }

        mutating func next() async throws -> [UInt8]? {
            while let piece = try await pieces.next() {
                md5?.update(piece)
                let known = Swift.min(Swift.max(0, checked.start - count), piece.count)
                count += piece.count
                guard known < piece.count else { continue }
                checked.onBytes(count)
                return known == 0 ? piece : Array(piece[known...])
            }
            let digest = (md5?.finish()).map { AttachmentDigest.text($0) }
            if let fault = checked.attachment.fault(length: count, md5Text: digest ?? checked.attachment.digest) {
                throw ReplicationError(.network, "attachment \(checked.attachment.name): \(fault)")
            }
            return nil
        }
    }
}

extension ReplicatedAttachment {
    /// What its bytes can be held against, and known again by; `nil` when the digest is not theirs.
    var announced: AnnouncedBytes? { isPacked ? nil : AnnouncedBytes(length: length, md5Text: digest) }

    /// What is wrong with the bytes that came; `nil` when nothing is.
    func fault(length found: Int, md5Text: String) -> String? {
        if found != length { return "\(found) bytes came and \(length) were announced" }
        guard !isPacked, digest.hasPrefix("md5-"), digest != md5Text else { return nil }
        return "its digest is \(md5Text) and was announced as \(digest)"
    }
}
