//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A rendered text of documents whose attachments are protected from removal until the text is sent.
///
/// The text can be read only once, because reading removes the bytes that were read. So these bytes are not kept in
/// memory while a slow client receives them.
package final class PinnedText: Sendable {
    private let text: Mutex<DocumentText>
    private let pins: [AttachmentPin]
    private let datastore: Datastore

    /// The length of the complete text, in bytes.
    package let count: Int

    fileprivate init(_ text: consuming DocumentText, in datastore: Datastore) throws(StoreError) {
        var pins: [AttachmentPin] = []
        for gap in text.gaps { pins.append(try datastore.pin(gap.blob, name: gap.name)) }
        self.pins = pins
        count = text.gaps.reduce(text.bytes.count) { $0.addingSaturated($1.length) }
        self.text = Mutex(text)
        self.datastore = datastore
    }

    /// Removes and returns the complete text if the text contains no attachments. Returns `nil` if it contains
    /// attachments.
    package func takeBytes() -> [UInt8]? { pins.isEmpty ? removeText().bytes : nil }

    private func removeText() -> DocumentText {
        text.withLock { text in
            defer { text = DocumentText() }
            return text
        }
    }

    /// Reads the text piece by piece, so that an attachment is never completely in memory.
    ///
    /// - Parameters:
    ///   - pieceSize: Returns the largest size of the next piece of an attachment, in bytes of the rendered text.
    ///   - receive: Receives the pieces in order.
    /// - Throws: ``StoreError`` when an attachment cannot be read; rethrows errors of `receive`.
    package func read(piece pieceSize: () -> Int, _ receive: ([UInt8]) async throws -> Void) async throws {
        let text = removeText()
        var byteOffset = 0
        for (gap, pin) in zip(text.gaps, pins) {
            try await receive(Array(text.bytes[byteOffset..<gap.position]))
            if gap.isEncoded {
                try await readEncoded(pin, pieceSize, receive)
            } else {
                try await read(pin, pieceSize, receive)
            }
            byteOffset = gap.position
        }
        try await receive(Array(text.bytes[byteOffset...]))
    }

    /// Reads an attachment without encoding.
    private func read(
        _ pin: AttachmentPin, _ pieceSize: () -> Int, _ receive: ([UInt8]) async throws -> Void
    ) async throws {
        var reader = AttachmentReader(of: pin, from: datastore)
        while let bytes = try reader.next(bytesMax: max(1, pieceSize())) { try await receive(bytes) }
    }

    /// Reads an attachment in Base64.
    private func readEncoded(
        _ pin: AttachmentPin, _ pieceSize: () -> Int, _ receive: ([UInt8]) async throws -> Void
    ) async throws {
        var reader = AttachmentReader(of: pin, from: datastore)
        var unencoded: [UInt8] = []
        while let digits = try digits(of: &reader, &unencoded, bytesMax: max(3, pieceSize() / 4 * 3)) {
            try await receive(digits)
        }
    }

    /// The next Base64 digits of an attachment; `nil` at the end.
    ///
    /// - Parameters:
    ///   - reader: The reader of the attachment.
    ///   - unencoded: The bytes that were read and not encoded yet. Base64 encodes three bytes as four digits, and a
    ///     piece may end within such a group of three bytes.
    ///   - bytesMax: The largest number of bytes to read.
    private func digits(
        of reader: inout AttachmentReader, _ unencoded: inout [UInt8], bytesMax: Int
    ) throws(StoreError) -> [UInt8]? {
        guard let piece = try reader.next(bytesMax: bytesMax) else { return nil }
        let bytes = unencoded + piece
        let rest = reader.isAtEnd ? 0 : bytes.count % 3
        unencoded = Array(bytes.suffix(rest))
        var digits: [UInt8] = []
        Base64.append(bytes.dropLast(rest), to: &digits)
        return digits
    }
}

extension Datastore {
    /// Protects the attachments of a text that was just rendered.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if an attachment was removed in the meantime.
    package func pinned(_ text: consuming DocumentText) throws(StoreError) -> PinnedText {
        try PinnedText(text, in: self)
    }
}
