//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitSQLite

// A database receives bytes of attachments from a peer: in a pull, or when a peer pushes to this server. Received bytes
// are kept when the replication or the process ends before the attachment is complete. The next replication requests or
// sends only the remaining bytes. For a blob to which no revision refers yet, a row of `arrivals` contains the
// announced length and MD5. The next upload of the same bytes finds the blob through this row and continues it, even if
// that upload is for another document or comes from another peer. The row is written in the same transactions as the
// chunks of the blob, and removed when a revision refers to the blob. A blob may be complete before a revision refers
// to it, because a document is written only when all its attachments have arrived.
//
// The bytes can be compared with the announced digest only when all of them have arrived. Bytes that arrived in earlier
// uploads are read back for the comparison. Until the comparison, the blob has no digest, so it cannot be found by its
// digest. If the digest differs, all bytes are removed. Bytes that cannot be verified, because the peer compresses them
// or reports no MD5, are not kept. If such bytes were kept, a login page that a network returned in place of the first
// bytes would not be detected.
//
// A version of Godwit that does not know this table removes these blobs, but keeps the rows of the table. Therefore, a
// row whose blob is absent or lacks chunks is ignored.

/// The SQL statements for attachments that were received before their documents.
struct ArrivalTable {
    let connection: SQLiteConnection

    struct Row {
        let announced: AnnouncedBytes
        let blob: Int64
    }

    /// Records the number of bytes that a blob has.
    func note(_ announced: AnnouncedBytes, blob: Int64, bytes: Int, at time: Date) throws {
        invariant(bytes >= 0, "the number of arrived bytes is not negative")
        let statement = try connection.statement("INSERT OR REPLACE INTO arrivals VALUES(?1, ?2, ?3, ?4, ?5)")
        statement.bind(announced.md5, at: 1)
        statement.bind(announced.length, at: 2)
        statement.bind(blob, at: 3)
        statement.bind(bytes, at: 4)
        statement.bind(time.millisecondsSince1970, at: 5)
        try statement.run()
    }

    func remove(_ announced: AnnouncedBytes, blob: Int64) throws {
        let statement = try connection.statement("DELETE FROM arrivals WHERE md5 = ?1 AND length = ?2 AND blob = ?3")
        statement.bind(announced.md5, at: 1)
        statement.bind(announced.length, at: 2)
        statement.bind(blob, at: 3)
        try statement.run()
    }

    /// The blobs for the announced bytes. The blob with the most bytes is first.
    func blobs(of announced: AnnouncedBytes) throws -> [Int64] {
        let statement = try connection.statement(
            "SELECT blob FROM arrivals WHERE md5 = ?1 AND length = ?2 ORDER BY bytes DESC")
        defer { statement.reset() }
        statement.bind(announced.md5, at: 1)
        statement.bind(announced.length, at: 2)
        var blobs: [Int64] = []
        while try statement.step() { blobs.append(statement.int64(0)) }
        return blobs
    }

    /// The rows to remove. A row is removed if it is older than `arrivalsSecondsMax`, or if its bytes and the bytes of
    /// all newer rows together exceed `arrivalsBytesMax`.
    func surplus(at now: Date, limits: StoreLimits) throws -> [Row] {
        let statement = try connection.statement(
            "SELECT md5, length, blob, bytes, time FROM arrivals ORDER BY time DESC")
        defer { statement.reset() }
        var (sum, surplus) = (0, [Row]())
        while try statement.step() {
            sum = sum.addingSaturated(max(statement.int(3), StoreLimits.attachmentChunkBytes))
            // If the clock was ahead when a row was written, the time of the row is in the future. With the absolute
            // difference, such a row is also removed, and is not kept for years.
            let age = now.millisecondsSince1970.subtractingSaturated(statement.int(4)).magnitude
            let isOld = age >= limits.arrivalsSecondsMax.magnitude * 1_000
            guard isOld || sum > limits.arrivalsBytesMax else { continue }
            let announced = AnnouncedBytes(length: statement.int(1), md5: statement.bytes(0) ?? [])
            surplus.append(Row(announced: announced, blob: statement.int64(2)))
        }
        return surplus
    }
}

/// The stored part of announced bytes.
enum Arrival: Sendable {
    case complete(StoredBlob)
    /// The number that identifies the blob, the count of its bytes, and the bytes of its last chunk if this chunk is
    /// incomplete.
    case part(Int64, bytes: Int, lastChunk: [UInt8], UploadHold)
}

extension WriteTransaction {
    private var arrivals: ArrivalTable { ArrivalTable(connection: connection) }

    /// Records how many of the announced bytes a blob contains.
    func note(_ announced: AnnouncedBytes, blob: Int64, bytes: Int) throws {
        try group.ensure(.arrivals)
        try arrivals.note(announced, blob: blob, bytes: bytes, at: Date())
        if try trimArrivals() { group.memory.freesBlobs = true }
    }

    /// Returns the stored part of announced bytes and reserves it for the caller. An incomplete part that another
    /// upload uses is skipped. The result is `nil` if there is no other part.
    func arrival(of announced: AnnouncedBytes) throws -> Arrival? {
        let retention = group.database.blobs
        for blob in try arrivals.blobs(of: announced) {
            if let complete = try blobs.finished(blob), AnnouncedBytes(complete) == announced {
                retention.uploadMoved(blob)
                return .complete(complete)
            }
            guard let hold = retention.hold(blob) else { continue }
            if let bytes = try blobs.bytesArrived(of: blob), bytes <= announced.length {
                let (chunk, rest) = bytes.quotientAndRemainder(dividingBy: StoreLimits.attachmentChunkBytes)
                invariant(!hold.isLost, "an upload continues an attachment that is reserved for it")
                let last = rest == 0 ? [] : try blobs.read(blob: blob, chunk: chunk, range: 0..<rest)
                return .part(blob, bytes: bytes, lastChunk: last, hold)
            }
            try dropArrival(announced, blob: blob)
        }
        return nil
    }

    /// Removes a blob's row, so that the next upload of the same bytes does not use the blob.
    func forgetArrival(_ announced: AnnouncedBytes, blob: Int64) throws {
        if group.memory.tables.contains(.arrivals) { try arrivals.remove(announced, blob: blob) }
    }

    /// Removes the rows of complete attachments, so that the attachments are not kept for later documents.
    package func forgetArrivals(_ blobs: [StoredBlob]) throws {
        for blob in blobs { try forgetArrival(AnnouncedBytes(blob), blob: blob.number) }
    }

    /// Discards a partial blob of announced bytes.
    func dropArrival(_ announced: AnnouncedBytes?, blob: Int64) throws {
        if let announced { try forgetArrival(announced, blob: blob) }
        group.database.blobs.uploadEnded(blob)
        group.memory.freesBlobs = true
    }

    /// Records that a revision refers to the bytes of an upload.
    func uploadIsUsed(_ blob: StoredBlob) throws {
        try forgetArrival(AnnouncedBytes(blob), blob: blob.number)
        group.database.blobs.uploadEnded(blob.number)
    }

    /// Removes the rows beyond the limits, except the rows of active uploads.
    ///
    /// - Returns: Whether a row was removed.
    @discardableResult
    func trimArrivals() throws -> Bool {
        guard group.memory.tables.contains(.arrivals) else { return false }
        let surplus = try arrivals.surplus(at: Date(), limits: limits)
            .filter { !group.database.blobs.isUploaded($0.blob) }
        for row in surplus { try arrivals.remove(row.announced, blob: row.blob) }
        return !surplus.isEmpty
    }
}

extension DocumentTable {
    /// The number of stored bytes after which an upload can continue, and whether another upload of the same bytes is
    /// active.
    func arrived(of announced: AnnouncedBytes, _ retention: BlobRetention) throws -> (bytes: Int, isActive: Bool) {
        let blobs = BlobTable(connection: connection)
        var (storedCount, isActive) = (0, false)
        for blob in try ArrivalTable(connection: connection).blobs(of: announced) {
            if let complete = try blobs.finished(blob), AnnouncedBytes(complete) == announced {
                storedCount = announced.length
            } else if retention.isActive(blob) {
                isActive = true
            } else if let bytes = try blobs.bytesArrived(of: blob), bytes <= announced.length {
                storedCount = max(storedCount, bytes)
            }
        }
        return (storedCount, isActive)
    }

    /// Whether there are attachments to remove. An attachment is removed if neither a revision nor a row of `arrivals`
    /// within the limits refers to it.
    func hasOrphans(limits: StoreLimits) throws -> Bool {
        guard try has(.blobs) else { return false }
        let hasArrivals = try has(.arrivals)
        if hasArrivals,
            try !ArrivalTable(connection: connection).surplus(at: Date(), limits: limits).isEmpty
        {
            return true
        }
        return try BlobTable(connection: connection).orphan(after: 0, hasArrivals: hasArrivals) != nil
    }
}
