//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitFoundation
import GodwitSQLite

/// The result of a compaction.
public struct CompactionReport: Hashable, Sendable {
    /// The number of removed bodies of revisions that are not leaves.
    public internal(set) var bodiesRemoved = 0
    /// The number of pages of 4096 bytes that were returned to the file system.
    public internal(set) var pagesFreed = 0
}

extension Datastore {
    /// Removes the bodies of old revisions and unreferenced attachments, and returns the space to the file system.
    ///
    /// A compaction works in short steps. Reads do not wait for a compaction, and other writes run between its steps.
    ///
    /// - Parameter progress: Called after each step that removes bodies or returns pages.
    /// - Throws: ``StoreError``. After an error, the effects of the finished steps remain.
    @discardableResult
    public func compact(
        progress: @Sendable (CompactionReport) -> Void = { _ in }
    ) async throws(StoreError) -> CompactionReport {
        do {
            return try await database.compact(progress: progress)
        } catch {
            throw StoreError(wrapping: error, subject: "compacting \(name)")
        }
    }

    /// The number of revisions that a document's history keeps, CouchDB's `_revs_limit`.
    public var revisionsMax: Int { hub.current.revisionsMax }

    /// Sets the number of revisions that a document's history keeps. The new number is applied to a document when the
    /// document changes the next time.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidLimit`` for less than 1.
    public func setRevisionsMax(_ count: Int) async throws(StoreError) {
        guard count > 0 else {
            throw StoreError(.invalidLimit, "a history must keep at least 1 revision, not \(count)")
        }
        try await transact { $0.group.memory.state.revisionsMax = count }
    }

    /// Removes leaves of a document completely, together with ancestors from which no other leaf descends.
    ///
    /// Unlike a deletion, a purge is not replicated, so the next pull may restore the revisions.
    ///
    /// - Returns: The elements of `revisions` that were leaves and are removed.
    @discardableResult
    public func purge(_ id: String, revisions: [RevisionID]) async throws(StoreError) -> [RevisionID] {
        try await transact { try $0.purge(id, leaves: revisions) }
    }

    /// Removes a document completely from the database. The purge is not replicated.
    ///
    /// - Returns: The leaves that the document had; empty if it is absent.
    @discardableResult
    public func purge(_ id: String) async throws(StoreError) -> [RevisionID] {
        try await transact { try $0.purge(id) }
    }

    /// Sets or removes the time at which a document is purged from this database.
    ///
    /// The purge is not replicated, so other databases keep the document. After the purge, this database remembers the
    /// leaves of the document for at least `expiredRememberedDays`, so that a pull does not restore them.
    ///
    /// - Parameter date: The time, exact to the millisecond; `nil` to keep the document.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the document is absent.
    public func expire(_ id: String, at date: Date?) async throws(StoreError) {
        try await transact { try $0.expire(id, at: date) }
    }

    /// The time at which a document is purged; `nil` if none is set.
    public func expiration(of id: String) throws(StoreError) -> Date? {
        try read { try $0.expiration(of: id) }
    }
}

extension Database {
    /// See ``Datastore/compact(progress:)``.
    func compact(progress: @Sendable (CompactionReport) -> Void) async throws -> CompactionReport {
        var report = CompactionReport()
        // Bodies that are added to the table `superseded` during this compaction remain until the next compaction.
        let last = hub.current.superseded
        var removedCount: Int
        repeat {
            removedCount = try await write { try $0.removeSuperseded(upTo: last) }
            report.bodiesRemoved += removedCount
            progress(report)
        } while removedCount == StoreLimits.compactedPerCommit
        try await collectBlobs()
        while true {
            let freedCount = try await write { try $0.freePages() }
            guard freedCount > 0 else { break }
            report.pagesFreed += freedCount
            progress(report)
        }
        try await checkpoint()
        return report
    }

    /// Removes the attachments that no revision, upload or reader uses.
    func collectBlobs() async throws {
        var last: Int64 = 0
        while true {
            let from = last
            guard let step = try await write({ try $0.removeOrphan(after: from) }) else { return }
            if step.isDone { last = step.blob }
        }
    }

    /// Removes the documents whose expiration time has passed.
    func removeExpired() async throws {
        while true {
            let ids = try await write { try $0.removeExpired(now: Date(), rowsMax: StoreLimits.expiredPerCommit) }
            guard ids.isEmpty else { continue }
            let next = try read { try DocumentTable($0, scope: .all).nextExpiration() }
            if let next { expiryIsSet(for: next) }
            return
        }
    }
}

extension WriteTransaction {
    /// Removes at most `compactedPerCommit` bodies of revisions that are not leaves, the oldest bodies first.
    ///
    /// - Returns: The number of removed bodies.
    func removeSuperseded(upTo last: Int64) throws -> Int {
        guard group.memory.tables.contains(.superseded) else { return 0 }
        let statement = try connection.statement(
            """
            DELETE FROM superseded WHERE place IN (
                SELECT place FROM superseded WHERE place <= ?1 ORDER BY place LIMIT ?2)
            RETURNING attachments
            """)
        defer { statement.reset() }
        statement.bind(last, at: 1)
        statement.bind(StoreLimits.compactedPerCommit, at: 2)
        var removed: [[AttachmentRecord]] = []
        while try statement.step() { removed.append(try statement.attachments(0)) }
        invariant(removed.count <= StoreLimits.compactedPerCommit, "a step of a compaction keeps its limit")
        for attachments in removed { try release(attachments) }
        return removed.count
    }

    /// Removes the next unreferenced attachment, or a part of it.
    ///
    /// - Returns: The number of the attachment's blob, and whether the search continues with the next blob (`isDone`).
    ///   The result is `nil` if there is no further unreferenced attachment.
    func removeOrphan(after blob: Int64) throws -> (blob: Int64, isDone: Bool)? {
        guard group.memory.tables.contains(.blobs) else { return nil }
        if blob == 0 { try trimArrivals() }
        let hasArrivals = group.memory.tables.contains(.arrivals)
        guard let orphan = try blobs.orphan(after: blob, hasArrivals: hasArrivals) else { return nil }
        invariant(orphan > blob, "the search for unused attachments goes forward")
        let retention = group.database.blobs
        guard retention.claim(orphan) else { return (orphan, true) }
        defer { retention.removed(orphan) }
        return (orphan, try blobs.remove(orphan, chunksMax: StoreLimits.chunksFreedPerCommit))
    }

    /// Returns free pages to the file system, at most `pagesFreedPerCommit`.
    ///
    /// - Returns: The number of pages.
    func freePages() throws -> Int {
        let freeCountBefore = try connection.integer("PRAGMA freelist_count")
        guard freeCountBefore > 0 else { return 0 }
        try connection.execute("PRAGMA incremental_vacuum(\(StoreLimits.pagesFreedPerCommit))")
        return freeCountBefore - (try connection.integer("PRAGMA freelist_count"))
    }
}
