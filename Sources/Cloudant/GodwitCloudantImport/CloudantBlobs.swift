//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitKeys
import GodwitStore

/// The files in which a datastore of Cloudant Sync stores attachments.
///
/// A plain file contains the stored bytes, which may be compressed with gzip. An encrypted file contains a version byte
/// (1), an initialization vector of 16 bytes, and the stored bytes in AES-256-CBC.
struct CloudantBlobs: Sendable {
    private let folder: String
    private let key: EncryptionKey?
    /// The names of the files. The key of each name is the SHA-1 of the stored bytes, in hexadecimal digits.
    private let names: [String: String]
    private let known = Known()

    /// The length and the digest of an attachment's decompressed bytes.
    struct Content: Sendable {
        let length: Int
        let md5: [UInt8]
    }

    /// A cache of the contents that were read before. The same content is often needed again, because documents share
    /// attachments, and each revision lists the attachments of its parent.
    private final class Known: Sendable {
        static let countMax = 10_000
        let contents = Mutex<[String: Content]>([:])
    }

    init(folder: String, key: EncryptionKey?, names: [String: String]) {
        (self.folder, self.key, self.names) = (folder, key, names)
    }

    /// The reason why an attachment cannot be read.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads an attachment completely, and checks that the stored bytes have the SHA-1 by which the attachment is
    /// identified.
    ///
    /// - Throws: ``Failure`` if the file is missing or damaged, or the system's error if the file cannot be read.
    func content(_ attachment: CloudantStore.AttachmentRow) async throws -> Content {
        let name = "\(attachment.key.hexadecimal)\(attachment.isPacked)"
        if let known = known.contents.withLock({ $0[name] }) { return known }
        var (length, md5) = (0, MessageDigest(.md5))
        for try await piece in pieces(attachment) {
            length += piece.count
            md5.update(piece)
        }
        let content = Content(length: length, md5: md5.finish())
        known.contents.withLock { contents in
            if contents.count >= Known.countMax { contents.removeAll() }
            contents[name] = content
        }
        return content
    }

    /// Returns the decompressed bytes of an attachment.
    func pieces(_ attachment: CloudantStore.AttachmentRow) -> CloudantBlobPieces {
        CloudantBlobPieces(blobs: self, attachment: attachment)
    }

    /// Opens the file of an attachment.
    func open(_ attachment: CloudantStore.AttachmentRow) throws -> (file: SystemFile, decryption: ChainedDecryption?) {
        let digits = attachment.key.hexadecimal
        let candidates = [names[digits], digits, digits.uppercased()].compactMap(\.self)
        let paths = candidates.flatMap { ["\(folder)/\($0)", "\(folder)/\($0).blob"] }
        guard let path = paths.first(where: DatabaseFiles.exists) else {
            throw Failure(description: "The file of the attachment is missing.")
        }
        let file = try SystemFile(regularFile: path)
        guard let key else { return (file, nil) }
        let head = try file.read(1 + ChainedDecryption.vectorBytes)
        guard head.count == 1 + ChainedDecryption.vectorBytes, head[0] == 1 else {
            throw Failure(description: "The file of the attachment is no encrypted attachment.")
        }
        return (file, key.withBytes { ChainedDecryption(key: $0, vector: Array(head[1...])) })
    }
}

/// The decompressed bytes of an attachment. If the SHA-1 of the stored bytes does not match, the sequence throws an
/// error at its end. At that time, the caller may already have received all bytes.
struct CloudantBlobPieces: AsyncSequence, Sendable {
    let blobs: CloudantBlobs
    let attachment: CloudantStore.AttachmentRow

    func makeAsyncIterator() -> Iterator { Iterator(blobs: blobs, attachment: attachment) }

    struct Iterator: AsyncIteratorProtocol {
        private static let pieceBytes = 64 << 10
        /// The length of a piece of compressed bytes. The decompressed piece is at most about a thousand times longer.
        private static let packedBytes = 4 << 10

        private let blobs: CloudantBlobs
        private let attachment: CloudantStore.AttachmentRow
        private var file: SystemFile?
        private var decryption: ChainedDecryption?
        private var unpacker: GzipUnpacker?
        private var digest = MessageDigest(.sha1)
        private var isAtEnd = false

        init(blobs: CloudantBlobs, attachment: CloudantStore.AttachmentRow) {
            (self.blobs, self.attachment) = (blobs, attachment)
        }

        mutating func next() async throws -> [UInt8]? {
            if file == nil {
                let opened = try blobs.open(attachment)
                (file, decryption) = (opened.file, opened.decryption)
                if attachment.isPacked { unpacker = GzipUnpacker() }
            }
            while !isAtEnd, let file {
                let count = unpacker == nil ? Iterator.pieceBytes : Iterator.packedBytes
                var bytes = try await BlockingPool.shared.run { try file.read(count) }
                isAtEnd = bytes.isEmpty
                if let decryption {
                    do {
                        bytes = try isAtEnd ? decryption.finish() : decryption.update(bytes)
                    } catch {
                        throw CloudantBlobs.Failure(
                            description: "The file of the attachment is damaged, or has another key.")
                    }
                }
                digest.update(bytes)
                if isAtEnd { try check() }
                let piece = try await unpacked(bytes)
                if !piece.isEmpty { return piece }
            }
            return nil
        }

        private mutating func check() throws {
            guard digest.finish() == attachment.key else {
                throw CloudantBlobs.Failure(
                    description: "The file of the attachment is damaged: its SHA-1 is another one.")
            }
        }

        private func unpacked(_ bytes: [UInt8]) async throws -> [UInt8] {
            guard let unpacker else { return bytes }
            var pieces: [UInt8] = []
            do {
                if !bytes.isEmpty { try await unpacker.append(bytes) { pieces += $0 } }
                if isAtEnd { try unpacker.finish() }
            } catch {
                throw CloudantBlobs.Failure(description: "The file of the attachment is damaged: \(error).")
            }
            return pieces
        }
    }
}
