//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitMultipart

/// A document and the attachments that follow it (`multipart/related`), read as they are sent. It can be read again.
package struct MultipartBody: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    /// An attachment that follows.
    package struct Part: Sendable {
        let name: String
        let contentType: String
        /// The bytes that follow.
        let length: Int
        /// Where in the attachment the bytes begin, for a peer that keeps what arrives; `nil` for any other, which gets all.
        let start: Int?
        /// Begins to read the bytes.
        let pieces: @Sendable () async throws -> any AsyncSequence<[UInt8], any Error> & Sendable

        /// Describes an attachment that follows.
        package init(
            name: String, contentType: String, length: Int, start: Int?,
            pieces: @escaping @Sendable () async throws -> any AsyncSequence<[UInt8], any Error> & Sendable
        ) {
            (self.name, self.contentType, self.length, self.start, self.pieces) =
                (name, contentType, length, start, pieces)
        }
    }

    /// The media type with the boundary.
    package let contentType: String
    /// The bytes of the whole body.
    package let length: Int
    private let parts: [Part]
    /// What is before each part, and at the end.
    private let frames: [[UInt8]]

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - text: The document, which names the parts in their order.
    ///   - parts: What follows it.
    package init(text: [UInt8], parts: [Part]) {
        self.parts = parts
        var writer = MultipartWriter()
        contentType = writer.contentType("related")
        var frames = [writer.part(MultipartWriter.documentHeaders) + text]
        for part in parts {
            let headers = MultipartWriter.attachmentHeaders(
                name: part.name, contentType: part.contentType, length: part.length, start: part.start)
            frames.append(writer.part(headers))
        }
        frames.append(writer.end())
        self.frames = frames
        length = frames.reduce(parts.reduce(0) { $0 + $1.length }) { $0 + $1.count }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    package struct Iterator: AsyncIteratorProtocol {
        let body: MultipartBody
        var frame = 0
        var pieces: (any AsyncIteratorProtocol<[UInt8], any Error>)?

        package mutating func next() async throws -> [UInt8]? {
            if var current = pieces {
                let piece = try await current.next(isolation: nil)
                pieces = piece == nil ? nil : current
                if let piece { return piece }
            }
            guard frame < body.frames.count else { return nil }
            // Behind the document's frame, each frame but the last announces a part.
            if frame > 0, frame < body.frames.count - 1 {
                pieces = try await body.parts[frame - 1].pieces().makeAsyncIterator()
            }
            frame += 1
            return body.frames[frame - 1]
        }
    }
}
