//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A text of documents whose attachments are kept from removal until it is sent.
package struct PinnedText: Sendable {
    private let text: DocumentText
    private let pins: [AttachmentPin]
    private let datastore: Datastore

    fileprivate init(_ text: DocumentText, in datastore: Datastore) throws(StoreError) {
        self.text = text
        self.datastore = datastore
        var pins: [AttachmentPin] = []
        for gap in text.gaps { pins.append(try datastore.pin(gap.blob)) }
        self.pins = pins
    }

    /// The whole text, where it has no attachments; `nil` where it has.
    package var bytes: [UInt8]? { pins.isEmpty ? text.bytes : nil }

    /// The length of the whole.
    package var count: Int { pins.reduce(text.bytes.count) { $0 + ($1.blob.length + 2) / 3 * 4 } }

    /// Reads the text piece by piece, so that no attachment is ever whole in memory.
    package func read(_ take: ([UInt8]) async throws -> Void) async throws {
        guard !pins.isEmpty else { return try await take(text.bytes) }
        var place = 0
        for (gap, pin) in zip(text.gaps, pins) {
            try await take(Array(text.bytes[place..<gap.place]))
            try await readEncoded(pin, take)
            place = gap.place
        }
        try await take(Array(text.bytes[place...]))
    }

    /// Reads an attachment in Base64.
    private func readEncoded(_ pin: AttachmentPin, _ take: ([UInt8]) async throws -> Void) async throws {
        let length = pin.blob.length
        var place = 0
        var waiting: [UInt8] = []
        while place < length {
            let piece = try datastore.attachmentChunk(
                pin, from: place, to: min(place + StoreLimits.encodedSliceBytes, length))
            place += piece.count
            waiting += piece
            // Three bytes are four digits; a piece may end between.
            let rest = place < length ? waiting.count % 3 : 0
            var digits: [UInt8] = []
            Base64.append(waiting.dropLast(rest), to: &digits)
            waiting.removeFirst(waiting.count - rest)
            try await take(digits)
        }
    }
}

extension Datastore {
    /// Keeps the attachments of a text that was just read.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when one was removed since.
    package func pinned(_ text: DocumentText) throws(StoreError) -> PinnedText { try PinnedText(text, in: self) }
}
