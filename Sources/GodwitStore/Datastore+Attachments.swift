//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension DocumentTable {
    /// The bytes of a small attachment, whole.
    package func attachmentBytes(_ blob: StoredBlob) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(blob.length)
        while bytes.count < blob.length {
            bytes += try attachmentChunk(blob, from: bytes.count, to: blob.length)
        }
        return bytes
    }

    /// A run of an attachment's bytes that ends with its chunk at the latest.
    ///
    /// - Parameters:
    ///   - blob: The attachment's bytes.
    ///   - start: The first byte, below the length.
    ///   - end: The end of what is wanted.
    package func attachmentChunk(_ blob: StoredBlob, from start: Int, to end: Int) throws -> [UInt8] {
        let size = StoreLimits.attachmentChunkBytes
        let chunk = start / size
        let chunkEnd = min((chunk + 1) * size, end)
        return try BlobTable(connection: connection).read(
            blob: blob.number, chunk: chunk, range: (start - chunk * size)..<(chunkEnd - chunk * size))
    }
}

extension Datastore {
    /// Begins to store the bytes of an attachment, before there is a revision that refers to it.
    package func upload() -> AttachmentUpload { AttachmentUpload(datastore: self) }

    /// A run of an attachment's bytes that ends with its chunk at the latest, so that a large one is never whole in
    /// memory.
    package func attachmentChunk(_ blob: StoredBlob, from start: Int, to end: Int) throws(StoreError) -> [UInt8] {
        try read { try $0.attachmentChunk(blob, from: start, to: end) }
    }
}
