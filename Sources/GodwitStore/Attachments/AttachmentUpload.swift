//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// Bytes of an attachment on their way into the store.
///
/// They are written in short transactions as they come, so that a slow upload holds nobody up; a document's write
/// only refers to the finished blob. What rests longer than `uploadIdleSecondsMax` is removed.
package struct AttachmentUpload {
    private let datastore: Datastore
    private var pending: [UInt8] = []
    private var blob: Int64?
    private var chunks = 0
    private var length = 0
    private var sha256 = SHA256()
    private var md5 = Insecure.MD5()

    init(datastore: Datastore) { self.datastore = datastore }

    private static let flushBytes = StoreLimits.attachmentChunkBytes * StoreLimits.uploadChunksPerCommit

    /// Takes the next bytes.
    package mutating func append(_ bytes: [UInt8]) async throws(StoreError) {
        sha256.update(data: bytes)
        md5.update(data: bytes)
        length += bytes.count
        pending += bytes
        if pending.count >= AttachmentUpload.flushBytes { try await flush(all: false) }
    }

    /// Ends the upload.
    ///
    /// - Returns: The stored bytes; those of an equal attachment when the database has them already.
    package mutating func finish() async throws(StoreError) -> StoredBlob {
        try await flush(all: true)
        let stored = StoredBlob(
            number: blob!, length: length, digest: Array(sha256.finalize()), md5: Array(md5.finalize()))
        return try await datastore.transact { transaction in
            let keeper = transaction.group.database.blobs
            guard try transaction.blobs.isThere(stored.number) else { throw StoreError.uploadGone }
            let finished = try transaction.blobs.finish(stored)
            if finished.number != stored.number { keeper.uploadEnded(stored.number) }
            keeper.uploadMoved(finished.number)
            return finished
        }
    }

    /// Writes the whole chunks that are here, and the rest too when `all` is true.
    private mutating func flush(all: Bool) async throws(StoreError) {
        let size = StoreLimits.attachmentChunkBytes
        let count = all ? pending.count : pending.count / size * size
        let run = Array(pending.prefix(count))
        pending.removeFirst(count)
        let (known, first) = (blob, chunks)
        let number = try await datastore.transact { transaction in
            try transaction.group.ensure(.blobs)
            try transaction.group.ensure(.chunks)
            if let known, try !transaction.blobs.isThere(known) { throw StoreError.uploadGone }
            let number = try known ?? transaction.blobs.begin()
            transaction.group.database.blobs.uploadMoved(number)
            for (place, start) in stride(from: 0, to: run.count, by: size).enumerated() {
                let end = min(start + size, run.count)
                try transaction.blobs.appendChunk(run[start..<end], blob: number, chunk: first + place)
            }
            return number
        }
        blob = number
        chunks += (count + size - 1) / size
    }
}

extension StoreError {
    fileprivate static var uploadGone: StoreError {
        StoreError(
            .notFound, "the upload rested for too long, and its bytes were removed. Upload the attachment again.")
    }
}
