//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitStore

// A server needs the length and the digest of an attachment before its bytes. Therefore, a file is read twice: first to
// compute the digest, and then to send the bytes. If the session has expired, the request is sent again, and the file
// is read once more. A stream can be read only once, so it is first copied to a temporary file without a name.

/// An open file with the bytes of an attachment. It is closed when the last reference is released.
final class AttachmentFile: Sendable {
    private let file: SystemFile
    /// The number of bytes.
    let length: Int
    /// The digest as CouchDB writes it: `md5-` and Base64.
    let digest: String

    private init(_ file: SystemFile, length: Int, digest: String) {
        self.file = file
        self.length = length
        self.digest = digest
    }

    /// Opens a file of the app.
    static func open(_ path: String) async throws(StoreError) -> AttachmentFile {
        do {
            return try await BlockingPool.shared.run {
                let file = try SystemFile(path, O_RDONLY)
                var md5 = MessageDigest(.md5)
                var length = 0
                while true {
                    let piece = try file.read(StoreLimits.attachmentChunkBytes, at: length)
                    guard !piece.isEmpty else { break }
                    md5.update(piece)
                    length += piece.count
                }
                return AttachmentFile(file, length: length, digest: AttachmentDigest.text(md5.finish()))
            }
        } catch {
            throw StoreError(wrapping: error, subject: "the attachment's file \(path)")
        }
    }

    /// Copies a stream to a temporary file that is deleted when it is closed. Throws ``StoreError`` with code
    /// ``StoreError/Code/documentTooLarge`` if the stream is longer than ``CouchDatabase/spooledBytesMax``.
    static func spool(_ source: AttachmentSource) async throws(StoreError) -> AttachmentFile {
        do {
            let path = FileManager.default.temporaryDirectory.path + "/godwit-" + UUID().uuidString
            let file = try SystemFile(path, O_RDWR | O_CREAT | O_EXCL)
            unlink(path)
            var md5 = MessageDigest(.md5)
            var length = 0
            try await source.read { piece in
                guard length + piece.count <= CouchDatabase.spooledBytesMax else {
                    throw StoreError(
                        .documentTooLarge, "a stream is longer than \(CouchDatabase.spooledBytesMax) bytes")
                }
                md5.update(piece)
                let offset = length
                try await BlockingPool.shared.run { try file.write(piece, at: offset) }
                length += piece.count
            }
            return AttachmentFile(file, length: length, digest: AttachmentDigest.text(md5.finish()))
        } catch {
            throw StoreError(wrapping: error, subject: "reading an attachment")
        }
    }

    /// The bytes of the file in pieces, from the beginning.
    var pieces: Pieces { Pieces(file: self) }

    struct Pieces: AsyncSequence, Sendable {
        let file: AttachmentFile

        func makeAsyncIterator() -> Iterator { Iterator(file: file) }

        struct Iterator: AsyncIteratorProtocol {
            let file: AttachmentFile
            var offset = 0

            mutating func next() async throws -> [UInt8]? {
                guard offset < file.length else { return nil }
                let (source, start) = (file.file, offset)
                let piece = try await BlockingPool.shared.run {
                    try source.read(StoreLimits.attachmentChunkBytes, at: start)
                }
                guard !piece.isEmpty, offset + piece.count <= file.length else {
                    throw StoreError(.storage, "the attachment's file changed while it was sent")
                }
                offset += piece.count
                return piece
            }
        }
    }
}
