//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitSQLite

// Bytes of attachments are stored once, whatever refers to them: a row in `blobs` names them by their SHA-256, and rows
// of `chunks` hold them in pieces of 256 KB, so that a large one is written in short transactions and read in part. The
// key of a chunk is the blob's number and the place of the piece, in one integer.
//
// `uses` counts the revisions that refer to a blob. One without uses is an upload that is no document's yet, or one that
// lost its last revision: what nobody uploads or reads (`BlobKeeper`) is removed in short steps.

/// The statements over stored attachments.
struct BlobTable {
    let connection: SQLiteConnection

    /// Chunks of one blob: 2^24 of 256 KB are 4 TB.
    private static let chunksShift: Int64 = 24

    static func chunkKey(blob: Int64, chunk: Int) -> Int64 { blob << chunksShift | Int64(chunk) }

    /// Begins a blob whose digest is not known yet.
    func begin() throws -> Int64 {
        try connection.statement("INSERT INTO blobs(length, uses) VALUES(0, 0)").run()
        return connection.lastInsertedRow
    }

    /// Writes a chunk; over its own beginning, where an upload that was cut left that.
    func writeChunk(_ bytes: ArraySlice<UInt8>, blob: Int64, chunk: Int) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO chunks VALUES(?1, ?2)")
        statement.bind(BlobTable.chunkKey(blob: blob, chunk: chunk), at: 1)
        statement.bind(bytes, at: 2)
        try statement.run()
    }

    /// Gives a blob its digest, or drops it for an equal one that is there already.
    func finish(_ blob: StoredBlob) throws -> StoredBlob {
        if let known = try find(digest: blob.digest) {
            try remove(blob.number)
            return known
        }
        let statement = try connection.statement(
            "UPDATE blobs SET digest = ?2, md5 = ?3, length = ?4 WHERE number = ?1")
        statement.bind(blob.number, at: 1)
        statement.bind(blob.digest, at: 2)
        statement.bind(blob.md5, at: 3)
        statement.bind(blob.length, at: 4)
        try statement.run()
        return blob
    }

    /// Stores bytes that are in memory already.
    func store(_ bytes: [UInt8]) throws -> StoredBlob {
        let digest = MessageDigest.Algorithm.sha256.digest(of: bytes)
        if let known = try find(digest: digest) { return known }
        let number = try begin()
        for (chunk, start) in stride(from: 0, to: bytes.count, by: StoreLimits.attachmentChunkBytes).enumerated() {
            let end = min(start + StoreLimits.attachmentChunkBytes, bytes.count)
            try writeChunk(bytes[start..<end], blob: number, chunk: chunk)
        }
        let md5 = MessageDigest.Algorithm.md5.digest(of: bytes)
        return try finish(StoredBlob(number: number, length: bytes.count, digest: digest, md5: md5))
    }

    /// The blob of a digest; `nil` when there is none.
    func find(digest: [UInt8]) throws -> StoredBlob? {
        let statement = try connection.statement("SELECT number, length, md5 FROM blobs WHERE digest = ?1")
        defer { statement.reset() }
        statement.bind(digest, at: 1)
        guard try statement.step() else { return nil }
        return StoredBlob(
            number: statement.int64(0), length: statement.int(1), digest: digest, md5: statement.bytes(2) ?? [])
    }

    /// Counts one more revision that refers to a blob.
    func addUse(_ blob: Int64) throws {
        let statement = try connection.statement("UPDATE blobs SET uses = uses + 1 WHERE number = ?1")
        statement.bind(blob, at: 1)
        try statement.run()
        guard connection.changedRows == 1 else {
            throw StoreError(.notFound, "the uploaded attachment is no longer here. Upload it again.")
        }
    }

    /// Counts one revision less that refers to a blob.
    ///
    /// - Returns: How many remain.
    func removeUse(_ blob: Int64) throws -> Int {
        let statement = try connection.statement("UPDATE blobs SET uses = uses - 1 WHERE number = ?1 RETURNING uses")
        defer { statement.reset() }
        statement.bind(blob, at: 1)
        guard try statement.step() else { throw StoreError.damagedRow }
        return statement.int(0)
    }

    /// Removes a blob or, of a large one, its next chunks.
    ///
    /// - Returns: Whether all of it is gone.
    @discardableResult
    func remove(_ blob: Int64, chunksMax: Int = .max) throws -> Bool {
        // From here on nobody finds it by its digest.
        let hide = try connection.statement("UPDATE blobs SET digest = NULL WHERE number = ?1 AND digest IS NOT NULL")
        hide.bind(blob, at: 1)
        try hide.run()
        let chunks = try connection.statement(
            "DELETE FROM chunks WHERE key IN (SELECT key FROM chunks WHERE key BETWEEN ?1 AND ?2 LIMIT ?3)")
        chunks.bind(BlobTable.chunkKey(blob: blob, chunk: 0), at: 1)
        chunks.bind(BlobTable.chunkKey(blob: blob + 1, chunk: 0) - 1, at: 2)
        chunks.bind(chunksMax, at: 3)
        try chunks.run()
        guard connection.changedRows < chunksMax else { return false }
        let statement = try connection.statement("DELETE FROM blobs WHERE number = ?1")
        statement.bind(blob, at: 1)
        try statement.run()
        return true
    }

    /// A blob that nothing refers to, after another one; `nil` when there is none.
    ///
    /// - Parameter hasArrivals: Whether there is a table of arrivals: what it names stays.
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

    /// Whether a blob is there.
    func isThere(_ blob: Int64) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM blobs WHERE number = ?1")
        defer { statement.reset() }
        statement.bind(blob, at: 1)
        return try statement.step()
    }

    /// A blob that has all its bytes; `nil` when it is not there or not finished.
    func finished(_ blob: Int64) throws -> StoredBlob? {
        let statement = try connection.statement("SELECT length, digest, md5 FROM blobs WHERE number = ?1")
        defer { statement.reset() }
        statement.bind(blob, at: 1)
        guard try statement.step(), let digest = statement.bytes(1) else { return nil }
        return StoredBlob(number: blob, length: statement.int(0), digest: digest, md5: statement.bytes(2) ?? [])
    }

    /// The bytes that are there of an unfinished blob; `nil` when it is not there, or pieces of it are missing.
    func bytesArrived(of blob: Int64) throws -> Int? {
        guard try isThere(blob) else { return nil }
        let statement = try connection.statement(
            "SELECT count(*), total(length(data)), max(key) FROM chunks WHERE key BETWEEN ?1 AND ?2")
        defer { statement.reset() }
        let first = BlobTable.chunkKey(blob: blob, chunk: 0)
        statement.bind(first, at: 1)
        statement.bind(BlobTable.chunkKey(blob: blob + 1, chunk: 0) - 1, at: 2)
        guard try statement.step() else { return nil }
        let (chunks, bytes, size) = (statement.int(0), statement.int(1), StoreLimits.attachmentChunkBytes)
        let hasHoles = chunks > 0 && statement.int64(2) != first + Int64(chunks) - 1
        return hasHoles || (bytes + size - 1) / size != chunks ? nil : bytes
    }

    /// Whether a blob is there with all its bytes.
    func isWhole(_ blob: Int64) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM blobs WHERE number = ?1 AND digest IS NOT NULL")
        defer { statement.reset() }
        statement.bind(blob, at: 1)
        return try statement.step()
    }

    /// A part of one chunk.
    func read(blob: Int64, chunk: Int, range: Range<Int>) throws -> [UInt8] {
        try connection.readBlob(
            table: "chunks", column: "data", row: BlobTable.chunkKey(blob: blob, chunk: chunk), range: range)
    }
}
