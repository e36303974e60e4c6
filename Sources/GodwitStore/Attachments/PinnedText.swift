//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitThreads

/// A text of documents whose attachments are kept from removal until it is sent.
///
/// It is read once: who reads it takes it, so that nobody else holds its bytes while a slow client is waited for.
package final class PinnedText: Sendable {
    private let text: Mutex<DocumentText>
    private let pins: [AttachmentPin]
    private let datastore: Datastore

    /// The length of the whole.
    package let count: Int

    fileprivate init(_ text: consuming DocumentText, in datastore: Datastore) throws(StoreError) {
        var pins: [AttachmentPin] = []
        for gap in text.gaps { pins.append(try datastore.pin(gap.blob, name: gap.name)) }
        self.pins = pins
        count = text.gaps.reduce(text.bytes.count) { $0 + $1.length }
        self.text = Mutex(text)
        self.datastore = datastore
    }

    /// Takes the whole text, where it has no attachments; `nil` where it has.
    package func takeBytes() -> [UInt8]? { pins.isEmpty ? take().bytes : nil }

    private func take() -> DocumentText {
        text.withLock { text in
            defer { text = DocumentText() }
            return text
        }
    }

    /// Reads the text piece by piece, so that no attachment is ever whole in memory.
    ///
    /// - Parameter piece: How many bytes of an attachment are wanted at a time, as they stand in the text.
    package func read(piece: () -> Int, _ take: ([UInt8]) async throws -> Void) async throws {
        let text = self.take()
        var place = 0
        for (gap, pin) in zip(text.gaps, pins) {
            try await take(Array(text.bytes[place..<gap.place]))
            if gap.isEncoded { try await readEncoded(pin, piece, take) } else { try await read(pin, piece, take) }
            place = gap.place
        }
        try await take(Array(text.bytes[place...]))
    }

    /// Reads an attachment as it is.
    private func read(
        _ pin: AttachmentPin, _ piece: () -> Int, _ take: ([UInt8]) async throws -> Void
    ) async throws {
        var reader = AttachmentReader(of: pin, from: datastore)
        while let bytes = try reader.next(bytesMax: max(1, piece())) { try await take(bytes) }
    }

    /// Reads an attachment in Base64.
    private func readEncoded(
        _ pin: AttachmentPin, _ piece: () -> Int, _ take: ([UInt8]) async throws -> Void
    ) async throws {
        var reader = AttachmentReader(of: pin, from: datastore)
        var waiting: [UInt8] = []
        while let digits = try digits(of: &reader, &waiting, bytesMax: max(3, piece() / 4 * 3)) {
            try await take(digits)
        }
    }

    /// The next digits of an attachment.
    ///
    /// - Parameters:
    ///   - reader: Of the attachment.
    ///   - bytesMax: How much more is read.
    ///   - waiting: What of that waits to be encoded: three bytes are four digits, and a piece may end between.
    private func digits(
        of reader: inout AttachmentReader, _ waiting: inout [UInt8], bytesMax: Int
    ) throws(StoreError) -> [UInt8]? {
        guard let piece = try reader.next(bytesMax: bytesMax) else { return nil }
        let bytes = waiting + piece
        let rest = reader.isAtEnd ? 0 : bytes.count % 3
        waiting = Array(bytes.suffix(rest))
        var digits: [UInt8] = []
        Base64.append(bytes.dropLast(rest), to: &digits)
        return digits
    }
}

extension Datastore {
    /// Keeps the attachments of a text that was just read.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when one was removed since.
    package func pinned(_ text: consuming DocumentText) throws(StoreError) -> PinnedText {
        try PinnedText(text, in: self)
    }
}
