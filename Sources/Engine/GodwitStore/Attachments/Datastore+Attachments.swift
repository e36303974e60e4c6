//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

extension DocumentTable {
    /// Returns all bytes of a small attachment.
    ///
    /// - Parameter name: The attachment's name, for the error message.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if the bytes do not match their digest.
    package func attachmentBytes(_ blob: StoredBlob, name: String? = nil) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(blob.length, StoreLimits.attachmentReservedBytesMax))
        while bytes.count < blob.length {
            bytes += try attachmentChunk(blob, name: name, from: bytes.count, to: blob.length)
        }
        guard MessageDigest.Algorithm.sha256.digest(of: bytes) == blob.digest else {
            throw StoreError.damagedAttachment(name)
        }
        return bytes
    }

    /// Reads bytes of an attachment: from `start` to the end of the chunk that contains `start`, or to `end` if that
    /// comes first.
    ///
    /// - Parameters:
    ///   - blob: The attachment's bytes.
    ///   - name: The attachment's name, for the error message.
    ///   - start: The offset of the first byte; it is less than the attachment's length.
    ///   - end: The offset at which the requested range ends.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if the chunk is missing or too short.
    func attachmentChunk(_ blob: StoredBlob, name: String?, from start: Int, to end: Int) throws -> [UInt8] {
        let size = StoreLimits.attachmentChunkBytes
        let chunk = start / size
        let chunkEnd = min((chunk + 1) * size, end)
        do {
            return try BlobTable(connection: connection).read(
                blob: blob.number, chunk: chunk, range: (start - chunk * size)..<(chunkEnd - chunk * size))
        } catch let error as SQLiteError where error.isMissing {
            throw StoreError.damagedAttachment(name)
        }
    }
}

extension Datastore {
    /// Begins an upload of an attachment's bytes before a revision refers to them.
    package func upload() -> AttachmentUpload { AttachmentUpload(to: self) }

    /// Ends the protection of uploaded bytes after the write of their document. The bytes to which no document refers
    /// are removed soon. Without this call, they are removed after `uploadIdleSecondsMax`.
    package func endUploads(_ blobs: [StoredBlob]) {
        let unused = blobs.filter { database.blobs.uploadStopsWaiting($0.number) }
        if !unused.isEmpty { database.collectBlobsSoon() }
    }

    /// Begins an upload of announced bytes. If an upload of the same bytes was interrupted, even in an earlier process,
    /// continues that upload. If all bytes are already stored, the caller only calls ``AttachmentUpload/finish()``.
    ///
    /// Two concurrent uploads of the same bytes are independent of each other.
    package func upload(of announced: AnnouncedBytes) async throws(StoreError) -> AttachmentUpload {
        let isKnown = try read { table in
            try table.has(.arrivals) && !ArrivalTable(connection: table.connection).blobs(of: announced).isEmpty
        }
        let arrival = try await isKnown ? transact { try $0.arrival(of: announced) } : nil
        return AttachmentUpload(of: announced, continuing: arrival, to: self)
    }

    /// Begins an upload of announced bytes at an offset that the sender chose.
    ///
    /// - Parameter start: The offset of the first byte that is sent. With 0, a new upload begins. With any other
    ///   offset, the upload continues after the stored bytes. If more than `start` bytes are stored, the `length` of
    ///   the upload is greater than `start`, and the caller skips the bytes between these two offsets.
    /// - Throws: ``StoreError`` with code `arrivalMissing` if fewer bytes are stored, or another upload uses them.
    package func upload(of announced: AnnouncedBytes, from start: Int) async throws(StoreError) -> AttachmentUpload {
        guard start > 0 else {
            var upload = AttachmentUpload(of: announced, to: self)
            try await upload.begin()
            return upload
        }
        var upload = try await upload(of: announced)
        guard upload.length >= start else {
            await upload.suspend()
            throw StoreError(
                .arrivalMissing,
                "the first \(start) bytes of the attachment are missing or in use. Send it from its beginning.")
        }
        return upload
    }

    /// Returns how many bytes are stored of announced attachments whose document has not arrived yet.
    ///
    /// For attachments of existing documents, nothing is reported. If these attachments were reported, a client that
    /// knows only the digest of a file could obtain the file.
    ///
    /// - Returns: For each attachment, the number of bytes after which an upload can continue, and whether another
    ///   upload is active.
    package func arrived(
        of announced: [AnnouncedBytes]
    ) throws(StoreError) -> [(bytes: Int, isActive: Bool)] {
        try read { table in
            guard try table.has(.arrivals) else { return announced.map { _ in (0, false) } }
            return try announced.map { try table.arrived(of: $0, database.blobs) }
        }
    }

    /// Records that a document was rejected, so that its announced attachments are no longer kept for a later upload.
    package func forgetArrivals(_ blobs: [StoredBlob]) async throws(StoreError) {
        try await transact { try $0.forgetArrivals(blobs) }
    }

    /// Stores the bytes of a file or a stream before a document refers to them.
    ///
    /// `create` and `update` do this automatically. Before a ``WriteTransaction``, call this method yourself, and put
    /// its result into the document. If no document refers to the bytes within `uploadIdleSecondsMax` seconds, they are
    /// removed.
    ///
    /// - Returns: An attachment to put into a document. Bytes in memory, stored attachments, and attachments of a
    ///   remote database are returned unchanged.
    /// - Throws: ``StoreError``, including errors of reading the file or the stream.
    public func upload(_ attachment: Attachment) async throws(StoreError) -> Attachment {
        let source: AttachmentSource
        switch attachment.content {
        case .bytes, .uploaded, .stored, .remote: return attachment
        case .stream(let streamSource): source = streamSource
        case .file(let path): source = try AttachmentSource(file: path)
        }
        var activeUpload = upload()
        do {
            try await source.read { piece in try await activeUpload.append(piece) }
            let blob = try await activeUpload.finish()
            return Attachment(content: .uploaded(blob), contentType: attachment.contentType)
        } catch {
            throw StoreError(wrapping: error, subject: "reading an attachment")
        }
    }

    /// Stores the files and streams of a document and returns the document with the stored attachments.
    func uploading(_ document: Document) async throws(StoreError) -> Document {
        var document = document
        for (name, attachment) in document.attachments {
            document.attachments[name] = try await upload(attachment)
        }
        return document
    }

    /// The bytes of a stored attachment, or a range of them, read in pieces on demand.
    ///
    /// The bytes are kept while the sequence exists, even if the document changes during this time.
    ///
    /// - Parameters:
    ///   - attachment: An attachment of a document that was read from this datastore.
    ///   - range: The range of bytes, clamped to the attachment's length; `nil` for all.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the attachment was never stored here, was
    ///   removed, or is absent (``Attachment/isAbsent``).
    public func bytes(of attachment: Attachment, in range: Range<Int>? = nil) throws(StoreError) -> AttachmentBytes {
        guard let blob = attachment.storedBlob else {
            throw StoreError(.notFound, "the attachment is not stored yet. Save its document first.")
        }
        let range = (range ?? 0..<blob.length).clamped(to: 0..<blob.length)
        return AttachmentBytes(of: try pin(blob, name: attachment.storedName), in: range, from: self)
    }

    /// The bytes of a stored attachment from an offset on, read in pieces on demand.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the bytes are absent or were removed.
    package func bytes(
        of blob: StoredBlob, named name: String, from start: Int
    ) throws(StoreError) -> AttachmentBytes {
        AttachmentBytes(of: try pin(blob, name: name), in: min(start, blob.length)..<blob.length, from: self)
    }

    /// Protects the bytes of an attachment from removal while they are read.
    ///
    /// - Parameters:
    ///   - blob: The bytes.
    ///   - name: The attachment's name, for an error message.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the bytes are absent or were removed.
    package func pin(_ blob: StoredBlob, name: String? = nil) throws(StoreError) -> AttachmentPin {
        guard !blob.isAbsent else { throw StoreError.absentAttachment }
        guard let pin = AttachmentPin(blob, name: name, retention: database.blobs),
            try read({ try BlobTable(connection: $0.connection).isComplete(blob.number) })
        else { throw StoreError(.notFound, "the attachment was removed") }
        return pin
    }

    /// Reads bytes of an attachment: from `start` to the end of the chunk that contains `start`, or to `end` if that
    /// comes first. A large attachment is never completely in memory.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if another process has removed the bytes.
    func attachmentChunk(_ pin: AttachmentPin, from start: Int, to end: Int) throws(StoreError) -> [UInt8] {
        do {
            return try read { try $0.attachmentChunk(pin.blob, name: pin.name, from: start, to: end) }
        } catch {
            // The pin is in this process. The one that writes does not know of it.
            guard isReadOnly, error.code == .corrupt else { throw error }
            throw StoreError(
                .notFound, "the attachment was removed or replaced while it was read. Read its document again.")
        }
    }
}

/// Protects the bytes of an attachment from removal until this object is deallocated.
package final class AttachmentPin: Sendable {
    /// The protected bytes.
    package let blob: StoredBlob
    /// The name of an attachment with these bytes, for an error message.
    let name: String?
    private let retention: BlobRetention

    init?(_ blob: StoredBlob, name: String?, retention: BlobRetention) {
        guard retention.pin(blob.number) else { return nil }
        self.blob = blob
        self.name = name
        self.retention = retention
    }

    deinit { retention.unpin(blob.number) }
}
