//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitSQLite

extension DocumentTable {
    /// The bytes of a small attachment, whole.
    ///
    /// - Parameter name: The attachment's name, for the message of an error.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` when they are not those of their digest.
    package func attachmentBytes(_ blob: StoredBlob, name: String? = nil) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(blob.length)
        while bytes.count < blob.length {
            bytes += try attachmentChunk(blob, name: name, from: bytes.count, to: blob.length)
        }
        guard MessageDigest.Algorithm.sha256.digest(of: bytes) == blob.digest else {
            throw StoreError.damagedAttachment(name)
        }
        return bytes
    }

    /// A run of an attachment's bytes that ends with its chunk at the latest.
    ///
    /// - Parameters:
    ///   - blob: The attachment's bytes.
    ///   - name: The attachment's name, for the message of an error.
    ///   - start: The first byte, below the length.
    ///   - end: The end of what is wanted.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` when the chunk is missing or too short.
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
    /// Begins to store the bytes of an attachment, before there is a revision that refers to it.
    package func upload() -> AttachmentUpload { AttachmentUpload(to: self) }

    /// Begins to store announced bytes, or goes on with what an upload of the same that was cut left, in this run of the
    /// process or an earlier one. Of those that are whole already nothing is wanted but the end.
    ///
    /// Two at a time have nothing of each other.
    package func upload(of announced: AnnouncedBytes) async throws(StoreError) -> AttachmentUpload {
        let isKnown = try read { table in
            try table.has(.arrivals) && !ArrivalTable(connection: table.connection).blobs(of: announced).isEmpty
        }
        let arrival = try await isKnown ? transact { try $0.arrival(of: announced) } : nil
        return AttachmentUpload(of: announced, goingOn: arrival, to: self)
    }

    /// Begins to store announced bytes from a place that their sender chose.
    ///
    /// - Parameter start: The first byte that comes. From 0 on they begin anew; from another one they go on with what
    ///   arrived, which may be more: then the upload's `length` is above `start`, and what is between is passed over.
    /// - Throws: ``StoreError`` with code `arrivalMissing` when fewer bytes are here, or another upload goes on with them.
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
                "the first \(start) bytes of the attachment are not here, or not free. Send it from its beginning.")
        }
        return upload
    }

    /// How much is here of announced bytes whose document has not come.
    ///
    /// Of attachments that documents have nothing is told, so that nobody gets a file by its digest alone.
    ///
    /// - Returns: For each what an upload can go on with, and whether another one is under way.
    package func arrived(
        of announced: [AnnouncedBytes]
    ) throws(StoreError) -> [(bytes: Int, isUnderWay: Bool)] {
        try read { table in
            guard try table.has(.arrivals) else { return announced.map { _ in (0, false) } }
            return try announced.map { try table.arrived(of: $0, database.blobs) }
        }
    }

    /// Keeps the bytes of attachments whose document was refused no longer than those of other uploads.
    package func forgetArrivals(_ blobs: [StoredBlob]) async throws(StoreError) {
        try await transact { try $0.forgetArrivals(blobs) }
    }

    /// Stores the bytes of a file or a stream before a document refers to them.
    ///
    /// `create` and `update` do this by themselves; a ``WriteTransaction`` takes the result. What no document refers to
    /// after `uploadIdleSecondsMax` is removed.
    ///
    /// - Returns: An attachment to put into a document; the same one when it is stored already.
    /// - Throws: ``StoreError``, also for a file that cannot be read.
    public func upload(_ attachment: Attachment) async throws(StoreError) -> Attachment {
        let source: AttachmentSource
        switch attachment.content {
        case .bytes, .uploaded, .stored, .remote: return attachment
        case .stream(let given): source = given
        case .file(let path): source = try AttachmentSource(file: path)
        }
        var running = upload()
        do {
            try await source.read { piece in try await running.append(piece) }
            let blob = try await running.finish()
            return Attachment(content: .uploaded(blob), contentType: attachment.contentType)
        } catch {
            throw StoreError(wrapping: error, subject: "reading an attachment")
        }
    }

    /// The document with its files and streams stored.
    func uploading(_ document: Document) async throws(StoreError) -> Document {
        var document = document
        for (name, attachment) in document.attachments {
            document.attachments[name] = try await upload(attachment)
        }
        return document
    }

    /// The bytes of a stored attachment, or a part of them, read in pieces as they are asked for.
    ///
    /// The bytes stay for as long as the sequence is read, also when the document changes meanwhile.
    ///
    /// - Parameters:
    ///   - attachment: Of a document that was read from this datastore.
    ///   - range: The bytes wanted; all by default.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when the attachment is not stored here, or no
    ///   longer, or was never fetched (``Attachment/isAbsent``).
    public func bytes(of attachment: Attachment, in range: Range<Int>? = nil) throws(StoreError) -> AttachmentBytes {
        guard let blob = attachment.storedBlob else {
            throw StoreError(.notFound, "the attachment is not stored yet. Save its document first.")
        }
        let range = (range ?? 0..<blob.length).clamped(to: 0..<blob.length)
        return AttachmentBytes(of: try pin(blob, name: attachment.storedName), in: range, from: self)
    }

    /// The bytes of a stored attachment from a place on, read in pieces as they are asked for.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when nothing referred to them any more.
    package func bytes(
        of blob: StoredBlob, named name: String, from start: Int
    ) throws(StoreError) -> AttachmentBytes {
        AttachmentBytes(of: try pin(blob, name: name), in: min(start, blob.length)..<blob.length, from: self)
    }

    /// Keeps the bytes of an attachment while they are read.
    ///
    /// - Parameters:
    ///   - blob: The bytes.
    ///   - name: The attachment's name, for the message of an error.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when nothing referred to them any more.
    package func pin(_ blob: StoredBlob, name: String? = nil) throws(StoreError) -> AttachmentPin {
        guard !blob.isAbsent else { throw StoreError.absentAttachment }
        guard let pin = AttachmentPin(blob, name: name, keeper: database.blobs),
            try read({ try BlobTable(connection: $0.connection).isWhole(blob.number) })
        else { throw StoreError(.notFound, "the attachment is no longer here") }
        return pin
    }

    /// A run of an attachment's bytes that ends with its chunk at the latest, so that a large one is never whole in
    /// memory.
    func attachmentChunk(_ pin: AttachmentPin, from start: Int, to end: Int) throws(StoreError) -> [UInt8] {
        try read { try $0.attachmentChunk(pin.blob, name: pin.name, from: start, to: end) }
    }
}

/// Keeps the bytes of an attachment from removal for as long as it is held.
package final class AttachmentPin: Sendable {
    package let blob: StoredBlob
    /// The name of an attachment that has the bytes.
    let name: String?
    private let keeper: BlobKeeper

    init?(_ blob: StoredBlob, name: String?, keeper: BlobKeeper) {
        guard keeper.pin(blob.number) else { return nil }
        self.blob = blob
        self.name = name
        self.keeper = keeper
    }

    deinit { keeper.unpin(blob.number) }
}
