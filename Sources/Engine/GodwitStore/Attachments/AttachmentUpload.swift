//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An upload of an attachment's bytes into the store.
///
/// The bytes are written in short transactions as they arrive, so that a slow upload does not block other writes. The
/// write of the document then only adds a reference to the finished blob. An upload that makes no progress for
/// `uploadIdleSecondsMax` is removed. If its bytes were announced with a digest, they are kept longer, and the next
/// upload of the same bytes continues after them (`ArrivalTable.swift`).
package struct AttachmentUpload {
    private let datastore: Datastore
    private let announced: AnnouncedBytes?
    private var hold: UploadHold?
    private var pending: [UInt8] = []
    private var blob: Int64?
    /// The number of written chunks. All these chunks have the full length, except that the last chunk of the
    /// attachment may be shorter.
    private var chunkCount = 0
    /// The number of bytes that have arrived, in this upload and in earlier uploads.
    package private(set) var length = 0
    /// The digests of all bytes. The value is `nil` if some bytes arrived in an earlier upload. In that case, the
    /// earlier bytes are read back at the end.
    private var digests: Digests? = Digests()
    /// The stored bytes, if all bytes were already stored when the upload began.
    private var completeBlob: StoredBlob?

    /// Creates an upload.
    ///
    /// - Parameters:
    ///   - announced: The announced bytes; `nil` if they were not announced.
    ///   - arrival: The part of these bytes that is already stored.
    init(of announced: AnnouncedBytes? = nil, continuing arrival: Arrival? = nil, to datastore: Datastore) {
        self.datastore = datastore
        self.announced = announced
        switch arrival {
        case nil: break
        case .complete(let stored):
            completeBlob = stored
            length = stored.length
        case .part(let number, let bytes, let lastChunk, let hold):
            self.hold = hold
            blob = number
            chunkCount = bytes / StoreLimits.attachmentChunkBytes
            pending = lastChunk
            length = bytes
            digests = nil
        }
    }

    /// The number of bytes in memory at which complete chunks are written.
    private static let flushBytes = StoreLimits.attachmentChunkBytes * StoreLimits.uploadChunksPerCommit

    /// Creates the blob, so that other requests can detect the upload before its first bytes are written.
    mutating func begin() async throws(StoreError) { try await flush(all: false) }

    /// Adds the next bytes.
    package mutating func append(_ bytes: [UInt8]) async throws(StoreError) {
        hold?.moved()
        digests?.update(bytes)
        length += bytes.count
        pending += bytes
        if pending.count >= AttachmentUpload.flushBytes { try await flush(all: false) }
    }

    /// Completes the upload.
    ///
    /// - Returns: The stored bytes. If the database already has equal bytes, the existing bytes are returned.
    /// - Throws: ``StoreError`` with code `digestMismatch` if the bytes differ from the announced bytes. The received
    ///   bytes are removed before this error is thrown. The code is ``StoreError/Code/notFound`` if the bytes were
    ///   removed or another upload has taken them over.
    package mutating func finish() async throws(StoreError) -> StoredBlob {
        if let completeBlob { return completeBlob }
        try await flush(all: true)
        let stored = try await stored()
        let (announced, currentHold) = (announced, hold)
        if let announced, announced != AnnouncedBytes(stored) {
            try await drop()
            throw StoreError(
                .digestMismatch,
                "received \(stored.length) bytes with the digest \(stored.md5Text), but others were announced"
            )
        }
        return try await datastore.transact { transaction in
            let retention = transaction.group.database.blobs
            guard currentHold?.isLost != true, try transaction.blobs.isThere(stored.number) else {
                throw StoreError.uploadNotFound
            }
            let finished = try transaction.blobs.finish(stored)
            invariant(finished.length == stored.length, "equal bytes have one length")
            retention.uploadFinished(stored.number)
            retention.uploadWaits(finished.number)
            if finished.number != stored.number {
                retention.uploadEnded(stored.number)
                if let announced {
                    try transaction.forgetArrival(announced, blob: stored.number)
                    try transaction.note(announced, blob: finished.number, bytes: finished.length)
                }
            }
            return finished
        }
    }

    /// Ends the upload before it is complete. Bytes that were announced are kept for the next upload. Bytes that were
    /// not announced are removed.
    package mutating func suspend() async {
        // Errors are ignored. If the last bytes cannot be written, the next upload receives them again. If bytes cannot
        // be removed, they are removed later.
        if announced == nil || length == 0 {
            try? await drop()
        } else if !pending.isEmpty {
            try? await flush(all: true)
        }
        (blob, hold) = (nil, nil)
    }

    /// Ends the upload and removes its bytes.
    package mutating func drop() async throws(StoreError) {
        guard let blob else { return }
        defer { (self.blob, hold) = (nil, nil) }
        let (announced, currentHold) = (announced, hold)
        try await datastore.transact { transaction in
            if currentHold?.isLost != true { try transaction.dropArrival(announced, blob: blob) }
        }
    }

    /// Removes the bytes and begins a new upload.
    package mutating func restart() async throws(StoreError) {
        try await drop()
        self = AttachmentUpload(of: announced, to: datastore)
    }

    /// Writes to the database the complete chunks that are in memory. If `all` is `true`, also writes the incomplete
    /// chunk.
    private mutating func flush(all: Bool) async throws(StoreError) {
        let size = StoreLimits.attachmentChunkBytes
        invariant(
            completeBlob != nil || length == chunkCount * size + pending.count,
            "each byte of an upload is written or waits")
        let count = all ? pending.count : pending.count / size * size
        guard count > 0 || blob == nil else { return }
        let flushedBytes = Array(pending.prefix(count))
        let (existingBlob, firstChunk, announced, currentHold) = (blob, chunkCount, announced, hold)
        (blob, hold) = try await datastore.transact { transaction in
            try transaction.group.ensure(.blobs)
            try transaction.group.ensure(.chunks)
            if let existingBlob, try currentHold?.isLost == true || !transaction.blobs.isThere(existingBlob) {
                throw StoreError.uploadNotFound
            }
            let number = try existingBlob ?? transaction.blobs.begin()
            let retention = transaction.group.database.blobs
            retention.uploadMoved(number)
            for (chunkOffset, start) in stride(from: 0, to: flushedBytes.count, by: size).enumerated() {
                let end = min(start + size, flushedBytes.count)
                try transaction.blobs.writeChunk(
                    flushedBytes[start..<end], blob: number, chunk: firstChunk + chunkOffset)
            }
            guard let announced else { return (number, nil) }
            try transaction.note(announced, blob: number, bytes: firstChunk * size + flushedBytes.count)
            return (number, currentHold ?? retention.hold(number))
        }
        pending.removeFirst(count)
        invariant(all || pending.count < size, "only an incomplete chunk waits")
        chunkCount += (count + size - 1) / size
    }

    /// The description of the written bytes with their digests.
    private func stored() async throws(StoreError) -> StoredBlob {
        var digests = if let digests { digests } else { try await readDigests() }
        let (sha256, md5) = digests.finish()
        // Bounded: the number is known before the first piece is written.
        return StoredBlob(number: blob!, length: length, digest: sha256, md5: md5)
    }

    private func readDigests() async throws(StoreError) -> Digests {
        // Bounded: as above.
        let (datastore, blob, size, length) = (datastore, blob!, StoreLimits.attachmentChunkBytes, length)
        var digests = Digests()
        do {
            for chunk in 0..<chunkCount {
                try Task.checkCancellation()
                hold?.moved()
                let bytes = try await BlockingPool.shared.run {
                    try datastore.read {
                        try BlobTable(connection: $0.connection).read(
                            blob: blob, chunk: chunk, range: 0..<min(size, length - chunk * size))
                    }
                }
                digests.update(bytes)
            }
        } catch {
            throw StoreError(wrapping: error, subject: "verifying an attachment")
        }
        return digests
    }
}

/// The SHA-256 and MD5 of the bytes so far.
private struct Digests {
    private var sha256 = MessageDigest(.sha256)
    private var md5 = MessageDigest(.md5)

    mutating func update(_ bytes: [UInt8]) {
        sha256.update(bytes)
        md5.update(bytes)
    }

    /// Finishes and returns both digests.
    mutating func finish() -> (sha256: [UInt8], md5: [UInt8]) { (sha256.finish(), md5.finish()) }
}

extension StoreError {
    fileprivate static var uploadNotFound: StoreError {
        StoreError(
            .notFound,
            "the upload was suspended for too long, and its bytes were removed or belong to another upload. "
                + "Upload the attachment again.")
    }
}
