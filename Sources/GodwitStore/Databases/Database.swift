//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

import struct Synchronization.Atomic

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One open database: its file, its queue of writes, its readers and those who watch it.
///
/// Its connections close when others need the room and open again by themselves. It goes when it has rested for long and
/// nobody has it in hand (``OpenDatastores``).
final class Database: Sendable {
    let name: String
    let file: DatabaseFile
    let identity: DatabaseIdentity
    /// The last number that each former epoch shares with this file.
    let branches: [String: Int64]
    let hub: ChangeHub
    let blobs: BlobKeeper
    let kinds: [String: any IndexKind]
    /// Whom writes are shown to before they are done; `nil` for nobody.
    let validator: (any WriteValidator)?
    let catalogue: Catalogue
    let followed: FollowedDesigns
    let resolution = AutomaticResolution()
    let designs = DesignMemory()
    let indexes = IndexMemory()
    let readers: ReaderPool
    private let writes: WriteQueue
    private let writer: DatabaseWriter
    let isPartitioned: Bool
    private let files: OpenFiles
    private let rested: @Sendable (Database) -> Void
    private let housekeeping = Housekeeping()
    let builds: IndexBuilds
    /// Whether damage was found since it was opened.
    let isDamaged = Atomic(false)
    let damages: DamageReports
    private let reserve: DiskReserve

    var limits: StoreLimits { file.limits }

    /// What a database shares with the others of its manager.
    struct Surroundings: Sendable {
        let files: OpenFiles
        let kinds: [String: any IndexKind]
        let followed: FollowedDesigns
        let validator: (any WriteValidator)?
        let catalogue: Catalogue
        let marks: DatabaseWriter.Marks
        let damages: DamageReports
        let reserve: DiskReserve
        /// Called when a database has closed its files for others.
        let rested: @Sendable (Database) -> Void
    }

    /// Opens a database file. Blocks: call it on the blocking pool.
    ///
    /// - Parameters:
    ///   - dirt: What the catalogue says of the file's last use.
    ///   - isFresh: Whether this process has made the file just now.
    init(
        name: String, file: DatabaseFile, dirt: Catalogue.Dirt, isFresh: Bool, surroundings: Surroundings
    ) throws {
        let files = surroundings.files
        let writerCache = { @Sendable in min(files.cacheShare, file.limits.writerCacheBytes) }
        let connection = try file.openWriter(cacheBytes: writerCache())
        // The last writes may be lost, and their numbers will be given again.
        if dirt == .writtenUnflushed, !isFresh {
            try surroundings.reserve.perform { try DatabaseIdentity.beginEpoch(on: connection) }
        }
        let (state, identity) = try DatabaseState.read(from: connection)
        let table = DocumentTable(connection, scope: .all)
        self.name = name
        self.file = file
        builds = IndexBuilds(of: file.path)
        self.files = files
        rested = surroundings.rested
        self.identity = identity
        branches = try table.has(.epochs) ? DatabaseIdentity.branches(on: connection) : [:]
        isPartitioned = try table.property(.partitioned) == 1
        hub = ChangeHub(state)
        blobs = BlobKeeper(limits: file.limits)
        kinds = surroundings.kinds
        validator = surroundings.validator
        catalogue = surroundings.catalogue
        followed = surroundings.followed
        damages = surroundings.damages
        reserve = surroundings.reserve
        let expiration = try table.nextExpiration()
        let hasOrphans = try table.hasOrphans(limits: file.limits)
        let mustFollow = try Database.mustFollowDesigns(table, kinds: kinds, followed: followed)
        writer = try DatabaseWriter(
            file: file, opened: connection, state: state, hub: hub, marks: surroundings.marks,
            isDirty: dirt == Catalogue.Dirt(file.durability) || dirt == .writtenUnflushed, cacheShare: writerCache)
        writes = WriteQueue(pool: .shared, limits: file.limits)
        readers = ReaderPool(
            path: file.path, disk: file.disk, limits: file.limits,
            cacheShare: { min(files.cacheShare, file.readerCacheBytes) })
        suspend(files.opened(self))
        if hasOrphans { collectBlobsSoon() }
        if let expiration { expiryIsSet(for: expiration) }
        if mustFollow { housekeeping.start(.indexes) { [weak self] in try await self?.followDesigns() } }
    }

    // MARK: Writing

    /// How many writes wait for the writer now, those under way not counted.
    var writesWaiting: Int { writes.waitingCount }

    /// Runs `body` in a write transaction and gives its result when it is durable.
    ///
    /// - Parameter rules: What the edits of its closure are held against, where they are known there alone.
    /// - Throws: What `body` threw, a ``StoreError``; one with code ``StoreError/Code/corrupt`` when damage was found before.
    func write<Result: Sendable>(
        scope: Scope = .all, source: ChangeSource = .local, rules: (any WriteRules)? = nil,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try checkIsWhole()
        if reserve.isReleased { try await BlockingPool.shared.run { [reserve] in try reserve.checkRoom() } }
        do {
            return try await writes.write(commit: { self.commit($0) }) { group in
                try body(WriteTransaction(group, scope: scope, source: source, rules: rules))
            }
        } catch {
            note(error)
            throw error
        }
    }

    /// Commits jobs, tells those whom it concerns, and answers each job.
    private func commit(_ jobs: [WriteQueue.Job]) {
        let result = writer.commit(jobs, of: self)
        let wake = result.effects.map(act(on:))
        for (job, outcome) in zip(jobs, result.outcomes) { job.finish(outcome) }
        wake?.resume()
        writer.checkpointWhenDue()
        if result.wasOpened { suspend(files.opened(self)) }
    }

    /// - Returns: Who waits for the changes, to be woken once the jobs are answered.
    private func act(on effects: CommitResult.Effects) -> ChangeHub.Wake {
        let wake = hub.publish(effects.state, changes: effects.changes)
        if effects.changesDesigns { designs.forget() }
        if effects.changesIndexes { indexes.forget() }
        if effects.makesIndexes { catchUpIndexesSoon() }
        if effects.freesBlobs { collectBlobsSoon() }
        if let expiration = effects.expiration { expiryIsSet(for: expiration) }
        for id in effects.conflicts { conflictAppeared(id) }
        writer.noteCommit()
        return wake
    }

    // MARK: Reading

    /// Lends a reader to `body` on the calling thread.
    func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        do {
            return try readers.read(opened: readerOpened, body)
        } catch {
            note(error)
            throw error
        }
    }

    private func readerOpened() {
        // Closing others flushes their files: not on the caller's thread.
        let surplus = files.opened(self)
        if !surplus.isEmpty { BlockingPool.shared.submit { self.suspend(surplus) } }
    }

    // MARK: Opening and closing

    /// Whether nobody reads or writes now.
    var isResting: Bool { !readers.use.isLent && !writes.isBusy }

    /// When it was last read or written.
    var lastUse: Moment { max(readers.use.last, writes.lastUse) }

    /// Whether nobody uses it and nothing is under way that it does by itself, or only remembers in memory, such as that it
    /// is damaged.
    var isQuiet: Bool {
        isResting && !readers.isOpen && hub.isQuiet && blobs.isQuiet && builds.isQuiet && housekeeping.isQuiet
            && !resolution.isSet && !isDamaged.load(ordering: .relaxed)
    }

    /// Whether it is quiet, and marked so: it can be let go.
    var isSettled: Bool { isQuiet && writer.isClean }

    /// Marks a database clean that rests. Whoever lets it go makes the mark durable first.
    func settle() { writer.settle(isBusy: { writes.isBusy }) }

    private func suspend(_ surplus: [Database]) {
        // One for each that is opened; the others on other threads, since this one's next write waits for it.
        for database in surplus.dropFirst() { BlockingPool.shared.submit { database.suspend() } }
        surplus.first?.suspend()
    }

    /// Closes the files until they are needed again.
    private func suspend() {
        guard isResting else { return files.keep(self) }
        readers.closeIdle()
        writer.suspend()
        designs.forget()
        indexes.forget()
        // Somebody may have come meanwhile.
        if !isResting || readers.isOpen { files.keep(self) } else { rested(self) }
    }

    /// Moves the log into the file, as far as readers allow.
    func checkpoint() async throws {
        let writer = writer
        try await BlockingPool.shared.run { try writer.checkpoint() }
    }

    /// Finishes the writes that were taken, closes readers before the writer, and ends all feeds.
    func close() async {
        hub.close()
        await builds.stop()
        await housekeeping.stop()
        await writes.close()
        await readers.close()
        let (writer, files) = (writer, files)
        try? await BlockingPool.shared.run { writer.close() }
        files.closed(self)
    }
}

// MARK: What is done in the background

extension Database {
    /// Removes the bytes of attachments that nothing refers to, in a while.
    func collectBlobsSoon() {
        housekeeping.start(.blobs) { [weak self] in try await self?.collectBlobs() }
    }

    /// Builds the indexes that are behind, in a while.
    func catchUpIndexesSoon() {
        housekeeping.start(.indexes) { [weak self] in try await self?.catchUpIndexes() }
    }

    /// A document is to go at a time.
    func expiryIsSet(for date: Date) {
        housekeeping.start(.expiry, at: date) { [weak self] in try await self?.removeExpired() }
    }

    /// A document has more than one live leaf now, and whoever reads it sees them: before the commit a resolver would find
    /// no conflict, and nobody would tell it again.
    func conflictAppeared(_ storedID: String) {
        guard resolution.isSet else { return }
        resolution.add(storedID)
        housekeeping.start(.conflicts) { [weak self] in try await self?.resolveConflicts() }
    }
}
