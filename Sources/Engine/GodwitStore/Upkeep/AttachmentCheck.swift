//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// Checks that the reference counts of attachments are correct, and that the bytes of attachments match their digests.
struct AttachmentCheck {
    private let table: DocumentTable
    private let faults: FaultList
    private let cancellation: CancellationFlag
    private var uses: [Int64: Int] = [:]

    init(_ table: DocumentTable, faults: FaultList, _ cancellation: CancellationFlag) {
        self.table = table
        self.faults = faults
        self.cancellation = cancellation
    }

    private var connection: SQLiteConnection { table.connection }

    /// Counts the references in the lists of attachments that a statement returns.
    mutating func count(_ statement: SQLiteStatement) throws {
        defer { statement.reset() }
        while try statement.step() {
            count(try statement.attachments(0))
        }
    }

    /// Counts the references of a revision.
    mutating func count(_ attachments: [AttachmentRecord]) {
        for blob in attachments.lazy.map(\.blob) {
            if blob.isAbsent {
                faults.expect(
                    blob.digest.allSatisfy { $0 == 0 }, "an attachment without bytes in this database has a digest")
            } else {
                uses[blob.number, default: 0] += 1
            }
        }
    }

    /// Checks the stored attachments, after all references were counted.
    mutating func finish() throws {
        try checkBlobs()
        try checkArrivals()
    }

    private mutating func checkBlobs() throws {
        guard try table.has(.blobs) else { return faults.expect(uses.isEmpty, "attachments are missing") }
        let statement = try connection.statement("SELECT number, uses, length, digest, md5 FROM blobs")
        defer { statement.reset() }
        while try statement.step() {
            let number = statement.int64(0)
            let referenceCount = uses.removeValue(forKey: number) ?? 0
            faults.expect(
                statement.int(1) == referenceCount,
                "attachment \(number): \(referenceCount) uses, counted \(statement.int(1))")
            guard let digest = statement.bytes(3) else {
                faults.expect(referenceCount == 0, "attachment \(number): used, but not complete")
                continue
            }
            try checkBytes(of: number, length: statement.int(2), digest: digest, md5: statement.bytes(4) ?? [])
        }
        for blob in uses.keys.sorted() { faults.add("attachment \(blob): used, but missing") }
    }

    /// Checks the received attachments. Their blobs may be absent, for example after an older version has removed them.
    private func checkArrivals() throws {
        guard try table.has(.arrivals) else { return }
        let differingCount = try connection.integer(
            """
            SELECT count(*) FROM arrivals a JOIN blobs b ON b.number = a.blob
            WHERE b.digest IS NOT NULL AND (b.md5 IS NOT a.md5 OR b.length IS NOT a.length)
            """)
        faults.expect(differingCount == 0, "\(differingCount) received attachments differ from the announced ones")
    }

    private func checkBytes(of blob: Int64, length: Int, digest: [UInt8], md5: [UInt8]) throws {
        let statement = try connection.statement("SELECT data FROM chunks WHERE key BETWEEN ?1 AND ?2 ORDER BY key")
        defer { statement.reset() }
        statement.bind(BlobTable.chunkKey(blob: blob, chunk: 0), at: 1)
        statement.bind(BlobTable.lastChunkKey(blob: blob), at: 2)
        var (sha256, md5Digest, count) = (MessageDigest(.sha256), MessageDigest(.md5), 0)
        while try statement.step() {
            try cancellation.check()
            statement.withBytes(0) { bytes in
                sha256.update(bytes)
                md5Digest.update(bytes)
                count += bytes.count
            }
        }
        faults.expect(count == length, "attachment \(blob): \(count) bytes of \(length)")
        faults.expect(
            sha256.finish() == digest && md5Digest.finish() == md5,
            "attachment \(blob): its bytes do not match its digest")
    }
}
