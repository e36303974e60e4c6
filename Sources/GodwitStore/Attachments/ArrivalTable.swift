//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// What a pull fetches of an attachment, and what a push sends of it to this server, outlives its run and its process: the next
// one asks for the rest, or sends it. A row of `arrivals` names a blob without uses by the length and the MD5 that its owner
// announced, so that whatever document and whatever peer announces the same goes on with it. It is written with the chunks
// themselves, in their transactions, and goes when a revision refers to the blob. That may be whole by then: a document
// waits for all its attachments.
//
// That the bytes are those that were announced is known at the end alone, when all of them have been held against the
// digest, those of earlier runs as they are read back. Until then the blob has no digest, and nobody finds it otherwise. When
// they are not, all that was kept goes. So what cannot be verified, since the peer keeps it packed or tells no MD5, is not
// kept: a login page that a network answered with in place of the first bytes would never be noticed.
//
// A version that does not know the table sweeps such blobs away and leaves the rows: a row without its blob, or with a blob
// that lacks pieces, counts for nothing.

/// The statements over what arrived of attachments whose documents are still to come.
struct ArrivalTable {
    let connection: SQLiteConnection

    struct Row {
        let announced: AnnouncedBytes
        let blob: Int64
    }

    /// Notes how much of a blob is there.
    func note(_ announced: AnnouncedBytes, blob: Int64, bytes: Int, at time: Date) throws {
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

    /// The blobs that were to become some bytes, the one with the most first.
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

    /// What is older than `arrivalsSecondsMax`, or does not fit into `arrivalsBytesMax` beside what is newer.
    func surplus(at now: Date, limits: StoreLimits) throws -> [Row] {
        let statement = try connection.statement(
            "SELECT md5, length, blob, bytes, time FROM arrivals ORDER BY time DESC")
        defer { statement.reset() }
        var (sum, surplus) = (0, [Row]())
        while try statement.step() {
            sum += max(statement.int(3), StoreLimits.attachmentChunkBytes)
            // Either way: a clock that was ahead must not keep anything for years.
            let isOld = abs(now.millisecondsSince1970 - statement.int(4)) >= limits.arrivalsSecondsMax * 1_000
            guard isOld || sum > limits.arrivalsBytesMax else { continue }
            let announced = AnnouncedBytes(length: statement.int(1), md5: statement.bytes(0) ?? [])
            surplus.append(Row(announced: announced, blob: statement.int64(2)))
        }
        return surplus
    }
}

/// What is there of announced bytes.
enum Arrival: Sendable {
    case whole(StoredBlob)
    /// The blob's number, how many bytes it has, and those of its last chunk if that is not full.
    case part(Int64, bytes: Int, lastChunk: [UInt8], UploadHold)
}

extension WriteTransaction {
    private var arrivals: ArrivalTable { ArrivalTable(connection: connection) }

    /// Notes how much of a blob is there that is to become some bytes.
    func note(_ announced: AnnouncedBytes, blob: Int64, bytes: Int) throws {
        try group.ensure(.arrivals)
        try arrivals.note(announced, blob: blob, bytes: bytes, at: Date())
        if try trimArrivals() { group.memo.freesBlobs = true }
    }

    /// Takes what is there of some bytes and nobody goes on with; `nil` when there is nothing.
    func arrival(of announced: AnnouncedBytes) throws -> Arrival? {
        let keeper = group.database.blobs
        for blob in try arrivals.blobs(of: announced) {
            if let whole = try blobs.finished(blob), AnnouncedBytes(whole) == announced {
                keeper.uploadMoved(blob)
                return .whole(whole)
            }
            guard let hold = keeper.hold(blob) else { continue }
            if let bytes = try blobs.bytesArrived(of: blob), bytes <= announced.length {
                let (chunk, rest) = bytes.quotientAndRemainder(dividingBy: StoreLimits.attachmentChunkBytes)
                let last = rest == 0 ? [] : try blobs.read(blob: blob, chunk: chunk, range: 0..<rest)
                return .part(blob, bytes: bytes, lastChunk: last, hold)
            }
            try dropArrival(announced, blob: blob)
        }
        return nil
    }

    /// Keeps a blob no longer for the next upload of the same bytes.
    func forgetArrival(_ announced: AnnouncedBytes, blob: Int64) throws {
        if group.memo.tables.contains(.arrivals) { try arrivals.remove(announced, blob: blob) }
    }

    /// Keeps whole attachments no longer for documents that are to come.
    package func forgetArrivals(_ blobs: [StoredBlob]) throws {
        for blob in blobs { try forgetArrival(AnnouncedBytes(blob), blob: blob.number) }
    }

    /// Removes what arrived of some bytes.
    func dropArrival(_ announced: AnnouncedBytes?, blob: Int64) throws {
        if let announced { try forgetArrival(announced, blob: blob) }
        group.database.blobs.uploadEnded(blob)
        group.memo.freesBlobs = true
    }

    /// A revision refers to the bytes of an upload from now on.
    func uploadIsUsed(_ blob: StoredBlob) throws {
        try forgetArrival(AnnouncedBytes(blob), blob: blob.number)
        group.database.blobs.uploadEnded(blob.number)
    }

    /// Forgets what is too old or too much, but for uploads under way.
    ///
    /// - Returns: Whether there was any.
    @discardableResult
    func trimArrivals() throws -> Bool {
        guard group.memo.tables.contains(.arrivals) else { return false }
        let surplus = try arrivals.surplus(at: Date(), limits: limits)
            .filter { !group.database.blobs.isUploaded($0.blob) }
        for row in surplus { try arrivals.remove(row.announced, blob: row.blob) }
        return !surplus.isEmpty
    }
}

extension DocumentTable {
    /// How much is there of some bytes that an upload can go on with, and whether another one is under way.
    func arrived(of announced: AnnouncedBytes, _ keeper: BlobKeeper) throws -> (bytes: Int, isUnderWay: Bool) {
        let blobs = BlobTable(connection: connection)
        var (most, isUnderWay) = (0, false)
        for blob in try ArrivalTable(connection: connection).blobs(of: announced) {
            if let whole = try blobs.finished(blob), AnnouncedBytes(whole) == announced {
                most = announced.length
            } else if keeper.isUnderWay(blob) {
                isUnderWay = true
            } else if let bytes = try blobs.bytesArrived(of: blob), bytes <= announced.length {
                most = max(most, bytes)
            }
        }
        return (most, isUnderWay)
    }

    /// Whether there are attachments to be removed, since nothing refers to them and nobody will go on with them.
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
