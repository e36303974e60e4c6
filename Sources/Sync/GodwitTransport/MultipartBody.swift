//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A request body that contains a document and the attachments that follow the document (`multipart/related`).
/// Attachments are read while the body is sent. The body can be iterated again.
package struct MultipartBody: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    /// An attachment that follows.
    package struct Part: Sendable {
        let name: String
        let contentType: String
        /// The number of bytes that are sent.
        package let length: Int
        /// The offset in the attachment of the first byte that is sent, if the server keeps partial uploads. For any
        /// other server, it is `nil` and the complete attachment is sent.
        let start: Int?
        /// Opens the bytes for reading.
        let pieces: @Sendable () async throws -> any AsyncSequence<[UInt8], any Error> & Sendable

        /// Creates the description of an attachment that follows.
        package init(
            name: String, contentType: String, length: Int, start: Int?,
            pieces: @escaping @Sendable () async throws -> any AsyncSequence<[UInt8], any Error> & Sendable
        ) {
            (self.name, self.contentType, self.length, self.start, self.pieces) =
                (name, contentType, length, start, pieces)
        }
    }

    /// The media type, with the boundary.
    package let contentType: String
    /// The length of the body, in bytes.
    package let length: Int
    private let parts: [Part]
    /// The bytes before each part and after the last part.
    private let frames: [[UInt8]]

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - text: The document, which names the parts in their order.
    ///   - parts: The attachments.
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
            // Each frame except the first (the document) and the last (the end) announces a part.
            if frame > 0, frame < body.frames.count - 1 {
                pieces = try await body.parts[frame - 1].pieces().makeAsyncIterator()
            }
            frame += 1
            return body.frames[frame - 1]
        }
    }
}
