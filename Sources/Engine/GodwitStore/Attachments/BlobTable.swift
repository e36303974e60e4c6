//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

// Bytes of attachments are stored once, regardless of the number of references. A row in `blobs` identifies them by
// their SHA-256. Rows of `chunks` contain the bytes in pieces of 256 KB, so that a large attachment is written in short
// transactions and can be read in part. The key of a chunk combines the blob's number and the chunk's index in one
// integer.
//
// The column `uses` contains the number of revisions that refer to a blob. A blob has no uses if it is an upload to
// which no document refers yet, or if the last revision that referred to it was removed. A blob without uses is removed
// in short steps when no upload and no reader needs it (`BlobRetention`).

/// The SQL statements for stored attachments.
struct BlobTable {
    let connection: SQLiteConnection

    /// The number of bits that a key has for the index of a chunk: 2^24 chunks of 256 KB are 4 TB.
    static let chunksShift: Int64 = 24
    /// The greatest number of a blob.
    private static let blobMax: Int64 = 1 << (62 - chunksShift)

    static func chunkKey(blob: Int64, chunk: Int) -> Int64 {
        invariant((0..<1 << chunksShift).contains(Int64(chunk)), "the index of a chunk fits into its key")
        invariant((1...blobMax).contains(blob), "the number of an attachment fits into the keys of its chunks")
        return blob << chunksShift | Int64(chunk)
    }

    /// The greatest possible key of a blob's chunk.
    static func lastChunkKey(blob: Int64) -> Int64 { blob << chunksShift | (1 << chunksShift - 1) }

    /// Creates a blob without a digest and returns its number.
    func begin() throws -> Int64 {
        try connection.statement("INSERT INTO blobs(length, uses) VALUES(0, 0)").run()
        return connection.lastInsertedRow
    }

    /// Writes a chunk. Replaces the incomplete chunk of an interrupted upload.
    func writeChunk(_ bytes: ArraySlice<UInt8>, blob: Int64, chunk: Int) throws {
        invariant(
            !bytes.isEmpty && bytes.count <= StoreLimits.attachmentChunkBytes, "a chunk has bytes, at most 256 KB")
        let statement = try connection.statement("INSERT OR REPLACE INTO chunks VALUES(?1, ?2)")
        statement.bind(BlobTable.chunkKey(blob: blob, chunk: chunk), at: 1)
        statement.bind(bytes, at: 2)
        try statement.run()
    }

    /// Sets the digests of a blob. If an equal blob exists, removes this blob and returns the equal blob.
    func finish(_ blob: StoredBlob) throws -> StoredBlob {
        invariant(blob.digest.count == 32 && blob.md5.count == 16, "a finished attachment has its digests")
        if let existing = try find(digest: blob.digest) {
            try remove(blob.number)
            return existing
        }
        let statement = try connection.statement(
            "UPDATE blobs SET digest = ?2, md5 = ?3, length = ?4 WHERE number = ?1")
        statement.bind(blob.number, at: 1)
        statement.bind(blob.digest, at: 2)
        statement.bind(blob.md5, at: 3)
        statement.bind(blob.length, at: 4)
        try statement.run()
        invariant(connection.changedRows == 1, "a finished attachment was begun")
        return blob
    }

    /// Stores bytes that are in memory.
    func store(_ bytes: [UInt8]) throws -> StoredBlob {
        let digest = MessageDigest.Algorithm.sha256.digest(of: bytes)
        if let existing = try find(digest: digest) { return existing }
        let number = try begin()
        for (chunk, start) in stride(from: 0, to: bytes.count, by: StoreLimits.attachmentChunkBytes).enumerated() {
            let end = min(start + StoreLimits.attachmentChunkBytes, bytes.count)
            try writeChunk(bytes[start..<end], blob: number, chunk: chunk)
        }
        let md5 = MessageDigest.Algorithm.md5.digest(of: bytes)
        return try finish(StoredBlob(number: number, length: bytes.count, digest: digest, md5: md5))
    }

    /// The blob with a digest; `nil` if it is absent.
    func find(digest: [UInt8]) throws -> StoredBlob? {
        let statement = try connection.statement("SELECT number, length, md5 FROM blobs WHERE digest = ?1")
        defer { statement.reset() }
        statement.bind(digest, at: 1)
        guard try statement.step() else { return nil }
        return try StoredBlob(
            storedNumber: statement.int64(0), length: statement.int(1), digest: digest, md5: statement.bytes(2) ?? [])
    }

    /// Adds a reference to a blob.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the blob was removed, or if its removal has
    ///   begun: the row of a large blob stays until all chunks are removed, but has no digest then.
    func addUse(_ blob: Int64) throws {
        let statement = try connection.statement(
            "UPDATE blobs SET uses = uses + 1 WHERE number = ?1 AND digest IS NOT NULL")
        statement.bind(blob, at: 1)
        try statement.run()
        guard connection.changedRows == 1 else {
            throw StoreError(.notFound, "the uploaded attachment was removed. Upload it again.")
        }
    }

    /// Removes a reference to a blob.
    ///
    /// - Returns: The number of remaining references.
    func removeUse(_ blob: Int64) throws -> Int {
        let statement = try connection.statement("UPDATE blobs SET uses = uses - 1 WHERE number = ?1 RETURNING uses")
        defer { statement.reset() }
        statement.bind(blob, at: 1)
        guard try statement.step() else { throw StoreError.damagedRow }
        invariant(statement.int(0) >= 0, "an attachment has no fewer than zero uses")
        return statement.int(0)
    }

    /// Removes a blob, or the next `chunksMax` chunks of a large blob.
    ///
    /// - Returns: Whether the blob is removed completely.
    @discardableResult
    func remove(_ blob: Int64, chunksMax: Int = .max) throws -> Bool {
        invariant(chunksMax > 0, "each step of a removal removes a chunk")
        // After this statement, the blob cannot be found by its digest.
        let hideStatement = try connection.statement(
            "UPDATE blobs SET digest = NULL WHERE number = ?1 AND digest IS NOT NULL RETURNING uses")
        do {
            defer { hideStatement.reset() }
            hideStatement.bind(blob, at: 1)
            if try hideStatement.step() { invariant(hideStatement.int(0) == 0, "a removed attachment has no uses") }
        }
        let chunks = try connection.statement(
            "DELETE FROM chunks WHERE key IN (SELECT key FROM chunks WHERE key BETWEEN ?1 AND ?2 LIMIT ?3)")
        chunks.bind(BlobTable.chunkKey(blob: blob, chunk: 0), at: 1)
        chunks.bind(BlobTable.lastChunkKey(blob: blob), at: 2)
        chunks.bind(chunksMax, at: 3)
        try chunks.run()
        guard connection.changedRows < chunksMax else { return false }
        let statement = try connection.statement("DELETE FROM blobs WHERE number = ?1")
        statement.bind(blob, at: 1)
        try statement.run()
        invariant(connection.changedRows == 1, "a removed attachment was stored")
        return true
    }

    /// The first unreferenced blob with a number above `blob`; `nil` if all later blobs are referenced.
    ///
    /// - Parameter hasArrivals: Whether the table `arrivals` exists. Blobs that are in this table are skipped.
    func orphan(after blob: Int64, hasArrivals: Bool) throws -> Int64? {
        let statement =
            try hasArrivals
            ? connection.statement(
                """
                SELECT number FROM blobs WHERE uses = 0 AND number > ?1 AND number NOT IN (SELECT blob FROM arrivals)
                ORDER BY number LIMIT 1
                """)
            : connection.statement(
                "SELECT number FROM blobs WHERE uses = 0 AND number > ?1 ORDER BY number LIMIT 1")
        defer { statement.reset() }
        statement.bind(blob, at: 1)
        return try statement.step() ? statement.int64(0) : nil
    }

    /// Whether a blob exists.
    func isThere(_ blob: Int64) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM blobs WHERE number = ?1")
        defer { statement.reset() }
        statement.bind(blob, at: 1)
        return try statement.step()
    }

    /// A finished blob; `nil` if it is absent or unfinished.
    func finished(_ blob: Int64) throws -> StoredBlob? {
        let statement = try connection.statement("SELECT length, digest, md5 FROM blobs WHERE number = ?1")
        defer { statement.reset() }
        statement.bind(blob, at: 1)
        guard try statement.step(), let digest = statement.bytes(1) else { return nil }
        return try StoredBlob(
            storedNumber: blob, length: statement.int(0), digest: digest, md5: statement.bytes(2) ?? [])
    }

    /// The number of stored bytes of an unfinished blob; `nil` if it is absent or lacks chunks.
    func bytesArrived(of blob: Int64) throws -> Int? {
        guard try isThere(blob) else { return nil }
        let statement = try connection.statement(
            "SELECT count(*), total(length(data)), max(key) FROM chunks WHERE key BETWEEN ?1 AND ?2")
        defer { statement.reset() }
        let first = BlobTable.chunkKey(blob: blob, chunk: 0)
        statement.bind(first, at: 1)
        statement.bind(BlobTable.lastChunkKey(blob: blob), at: 2)
        guard try statement.step() else { return nil }
        let (chunks, bytes, size) = (statement.int(0), statement.int(1), StoreLimits.attachmentChunkBytes)
        let hasHoles = chunks > 0 && statement.int64(2) != first &+ Int64(chunks) &- 1
        return hasHoles || (bytes + size - 1) / size != chunks ? nil : bytes
    }

    /// Whether a blob exists and is finished.
    func isComplete(_ blob: Int64) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM blobs WHERE number = ?1 AND digest IS NOT NULL")
        defer { statement.reset() }
        statement.bind(blob, at: 1)
        return try statement.step()
    }

    /// Reads a range of one chunk.
    func read(blob: Int64, chunk: Int, range: Range<Int>) throws -> [UInt8] {
        try connection.readBlob(
            table: "chunks", column: "data", row: BlobTable.chunkKey(blob: blob, chunk: chunk), range: range)
    }
}
