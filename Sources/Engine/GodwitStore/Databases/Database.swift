//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitSQLite

import struct Synchronization.Atomic

/// One open database: its file, write queue, readers and change listeners.
///
/// If too many databases have open files, the connections of idle databases close (``OpenFiles``). They open again on
/// the next use. If too many databases are in memory, the manager releases idle databases (``OpenDatastores``).
final class Database: Sendable {
    let name: String
    let file: DatabaseFile
    let identity: DatabaseIdentity
    /// For each former epoch, the last sequence number that the epoch has in common with this file.
    let branches: [ExactText: Int64]
    let hub: ChangeHub
    let blobs: BlobRetention
    let kinds: [String: any IndexKind]
    /// Validates writes before they are committed; `nil` for no validation.
    let validator: (any WriteValidator)?
    let catalogue: Catalogue
    let followed: FollowedDesigns
    let resolution = AutomaticResolution()
    let designs = DesignCache()
    let indexes = IndexListCache()
    let readers: ReaderPool
    /// The parts that write; `nil` in a process that only reads.
    private let writing: Writing?
    /// Finds the commits of the process that writes; `nil` in that process.
    private let commits: ForeignCommits?
    let isPartitioned: Bool
    let files: OpenFiles
    private let rested: @Sendable (Database) -> Void
    private let housekeeping = Housekeeping()
    let builds: IndexBuilds
    /// Whether damage was found since the database was opened.
    let isDamaged = Atomic(false)
    let damages: DamageReports
    private let reserve: DiskReserve

    var limits: StoreLimits { file.limits }

    /// Whether another process writes the database.
    var isReadOnly: Bool { writing == nil }

    /// The objects that all databases of a manager share.
    struct Dependencies: Sendable {
        let files: OpenFiles
        let kinds: [String: any IndexKind]
        let followed: FollowedDesigns
        let validator: (any WriteValidator)?
        let catalogue: Catalogue
        let callbacks: DatabaseWriter.CatalogueCallbacks
        let damages: DamageReports
        let rollbacks: RollbackReports
        let reserve: DiskReserve
        let backgroundWork: WorkJournal
        /// Called after a database has closed its files.
        let rested: @Sendable (Database) -> Void
    }

    private struct Writing: Sendable {
        let queue: WriteQueue
        let writer: DatabaseWriter
    }

    /// The content of a file that is needed to open its database.
    private struct Content {
        var state: DatabaseState
        var identity: DatabaseIdentity
        var branches: [ExactText: Int64]
        let isPartitioned: Bool

        init(_ connection: SQLiteConnection) throws {
            (state, identity) = try DatabaseState.read(from: connection)
            let table = DocumentTable(connection, scope: .all)
            branches = try table.has(.epochs) ? DatabaseIdentity.branches(on: connection) : [:]
            isPartitioned = try table.property(.partitioned) == 1
        }
    }

    private init(
        name: String, file: DatabaseFile, content: Content, hub: ChangeHub, writing: Writing?,
        commits: ForeignCommits?, dependencies: Dependencies
    ) {
        let files = dependencies.files
        self.name = name
        self.file = file
        self.files = files
        self.hub = hub
        self.writing = writing
        self.commits = commits
        (identity, branches, isPartitioned) = (content.identity, content.branches, content.isPartitioned)
        builds = IndexBuilds(of: name, path: file.path, journal: dependencies.backgroundWork)
        rested = dependencies.rested
        blobs = BlobRetention(limits: file.limits)
        kinds = dependencies.kinds
        validator = dependencies.validator
        catalogue = dependencies.catalogue
        followed = dependencies.followed
        damages = dependencies.damages
        reserve = dependencies.reserve
        readers = ReaderPool(
            path: file.path, disk: file.disk, limits: file.limits,
            cacheShare: { min(files.cacheShare, file.readerCacheBytes) }, admit: files.checkIsActive)
    }

    /// Opens a database that another process writes. This initializer blocks, so call it on the blocking pool.
    convenience init(reading name: String, file: DatabaseFile, dependencies: Dependencies) throws {
        let commits = ForeignCommits(of: file, instance: try dependencies.catalogue.instance(of: name))
        let content = try commits.read { try Content($0) }
        self.init(
            name: name, file: file, content: content, hub: ChangeHub(content.state), writing: nil, commits: commits,
            dependencies: dependencies)
        suspend(files.opened(self))
    }

    /// Opens a database file. This initializer blocks, so call it on the blocking pool.
    ///
    /// - Parameters:
    ///   - crashState: The state in the catalogue. It says whether the file may contain writes that were made after it
    ///     was last closed.
    ///   - isFresh: Whether this process has just created the file.
    convenience init(
        name: String, file: DatabaseFile, crashState: Catalogue.CrashState, isFresh: Bool, dependencies: Dependencies
    ) throws {
        let files = dependencies.files
        let writerCache = { @Sendable in min(files.cacheShare, file.limits.writerCacheBytes) }
        let connection = try file.openWriter(cacheBytes: writerCache())
        // A power loss may have removed the last writes. Their sequence numbers will be assigned again, to other
        // changes. Therefore, a new epoch begins.
        if crashState == .writtenUnflushed, !isFresh {
            try dependencies.reserve.perform { try DatabaseIdentity.beginEpoch(on: connection) }
        }
        var content = try Content(connection)
        // The same applies if the file was replaced by an older copy, without `godwit restore`.
        let found = Catalogue.SeenState(epoch: content.identity.epoch, sequence: content.state.sequence)
        let seen = isFresh ? nil : try dependencies.catalogue.seen(name)
        let isOlder = seen.map { found.isBehind($0, branches: content.branches) } ?? false
        if isOlder {
            try dependencies.reserve.perform {
                try dependencies.callbacks.dirty()
                try DatabaseIdentity.beginEpoch(on: connection)
            }
            content = try Content(connection)
            try dependencies.catalogue.note(
                Catalogue.SeenState(epoch: content.identity.epoch, sequence: content.state.sequence), of: name)
            dependencies.rollbacks.add(name)
        }
        let table = DocumentTable(connection, scope: .all)
        let expiration = try table.nextExpiration()
        let hasOrphans = try table.hasOrphans(limits: file.limits)
        let mustFollow = try Database.mustFollowDesigns(
            table, kinds: dependencies.kinds, followed: dependencies.followed)
        let hub = ChangeHub(content.state)
        let writer = try DatabaseWriter(
            file: file, opened: connection, state: content.state, epoch: content.identity.epoch, hub: hub,
            callbacks: dependencies.callbacks,
            isDirty: isOlder || crashState == Catalogue.CrashState(file.durability) || crashState == .writtenUnflushed,
            cacheShare: writerCache, admit: files.checkIsActive)
        self.init(
            name: name, file: file, content: content, hub: hub,
            writing: Writing(queue: WriteQueue(pool: .shared, limits: file.limits), writer: writer), commits: nil,
            dependencies: dependencies)
        suspend(files.opened(self))
        if hasOrphans { collectBlobsSoon() }
        if let expiration { expiryIsSet(for: expiration) }
        if mustFollow { housekeeping.start(.indexes) { [weak self] in try await self?.followDesigns() } }
    }

    // MARK: Writing

    /// The number of writes that wait for the writer. Writes in progress are not counted.
    var writesWaiting: Int { writing?.queue.waitingCount ?? 0 }

    /// Runs `body` in a write transaction and returns its result when the write is durable.
    ///
    /// - Parameter rules: The validation rules for the edits of `body`; `nil` for none.
    /// - Throws: The error that `body` throws, or a ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/corrupt`` if damage was found before.
    ///   - ``StoreError/Code/diskFull`` if the disk is full.
    ///   - ``StoreError/Code/closed`` after the database was closed.
    ///   - ``StoreError/Code/overloaded`` if `writesWaitingMax` writes wait.
    ///   - ``StoreError/Code/readOnly`` if another process writes the database.
    func write<Result: Sendable>(
        scope: Scope = .all, source: ChangeSource = .local, rules: (any WriteRules)? = nil,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        guard let writing else { throw StoreError.readOnly }
        try checkIsUndamaged()
        if reserve.isReleased { try await BlockingPool.shared.run { [reserve] in try reserve.checkFreeSpace() } }
        do {
            return try await writing.queue.enqueue(run: { self.runGroup($0, by: writing.writer) }) { group in
                try body(WriteTransaction(group, scope: scope, source: source, rules: rules))
            }
        } catch {
            note(error)
            throw error
        }
    }

    /// Commits jobs, publishes the effects of the commit, and completes each job.
    private func runGroup(_ jobs: [WriteQueue.Job], by writer: DatabaseWriter) {
        let result = writer.commit(jobs, of: self)
        let wake = result.effects.map(applyEffects(on:))
        if result.effects != nil { writer.noteCommit() }
        for (job, outcome) in zip(jobs, result.outcomes) { job.finish(outcome) }
        wake?.resume()
        writer.checkpointWhenDue { files.snapshots.end($0, of: self) }
        if result.wasOpened { suspend(files.opened(self)) }
    }

    /// - Returns: The change listeners to resume after the jobs are completed.
    private func applyEffects(on effects: CommitResult.Effects) -> ChangeHub.Wake {
        let wake = hub.publish(effects.state, changes: effects.changes)
        if effects.changesDesigns { designs.forget() }
        if effects.changesIndexes { indexes.forget() }
        if effects.makesIndexes { catchUpIndexesSoon() }
        if effects.freesBlobs { collectBlobsSoon() }
        if let expiration = effects.expiration { expiryIsSet(for: expiration) }
        for id in effects.conflicts { conflictAppeared(id) }
        return wake
    }

    // MARK: Reading

    /// Runs `body` with a reader on the calling thread.
    func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        do {
            return try readers.read(opened: readerOpened, body)
        } catch {
            note(error)
            throw error
        }
    }

    /// Runs `body` with a reader on the calling thread, and keeps the state that it read if it says that more reads
    /// follow.
    ///
    /// - Parameter body: Reads. Sets its second argument, which is `false` at first, if the state is not needed again.
    /// - Returns: The result of `body`, and the state; `nil` if it is not needed or cannot be kept.
    func readKeepingState<Result>(
        scope: Scope, _ body: (DocumentTable, inout Bool) throws -> Result
    ) throws(StoreError) -> (Result, Snapshot?) {
        do {
            let reader = try readers.borrow(opened: readerOpened)
            var isKept = false
            defer { if !isKept { giveBack(reader) } }
            try reader.connection.beginReading()
            var isLast = false
            let result = try body(DocumentTable(reader.connection, scope: scope), &isLast)
            guard !isLast else { return (result, nil) }
            if files.snapshots.savesMemory { reader.connection.releaseMemory() }
            let snapshot = Snapshot(.lent(reader), of: self, scope: scope)
            isKept = files.snapshots.keep(snapshot)
            guard isKept else { return (result, nil) }
            // While the database is being closed, it ends the kept snapshots that it sees. It may not have seen this one.
            if readers.isClosed { snapshot.end() }
            return (result, snapshot)
        } catch {
            throw readFailure(error)
        }
    }

    /// Opens a snapshot of the current state, with a separate connection. The caller ends it.
    func openSnapshot(scope: Scope) throws -> Snapshot {
        try files.whileActive {
            let connection = try file.openReader()
            // A value is read because the state of a transaction is fixed only at its first read.
            try connection.execute("BEGIN; SELECT one FROM state")
            let snapshot = Snapshot(.own(connection), of: self, scope: scope)
            files.snapshots.add(snapshot)
            return snapshot
        }
    }

    /// Takes back a reader with an open read transaction.
    func giveBack(_ reader: ReaderPool.Reader) {
        reader.connection.rollBack()
        readers.release(reader)
    }

    /// Records an error of a read if it reports damage, and converts it.
    func readFailure(_ error: any Error) -> StoreError {
        note(error)
        return StoreError(wrapping: error, subject: "reading \(name)")
    }

    private func readerOpened() {
        // If too many databases are open, other databases close their files. Closing flushes these files, so it must
        // not run on the caller's thread.
        let surplus = files.opened(self)
        if !surplus.isEmpty { BlockingPool.shared.submit { self.suspend(surplus) } }
    }

    // MARK: Opening and closing

    /// Whether no read or write is in progress.
    var isResting: Bool { !readers.use.isLent && writing?.queue.isBusy != true }

    /// The time of the last read or write.
    var lastUse: Moment { max(readers.use.last, writing?.queue.lastUse ?? .distantPast) }

    /// Whether the database is idle, has no open reader and no background task, and has no state that exists only in
    /// memory, such as the record of damage.
    var isQuiet: Bool {
        isResting && !readers.isOpen && hub.isQuiet && blobs.isQuiet && builds.isQuiet && housekeeping.isQuiet
            && !resolution.isSet && !isDamaged.load(ordering: .relaxed) && !files.snapshots.isAny(of: self)
    }

    /// Whether ``isQuiet`` is `true` and the database is marked clean. Such a database can be released.
    var isSettled: Bool { isQuiet && writing?.writer.isClean != false }

    /// Marks the database clean if it is idle and its files are closed. The caller makes the mark durable before it
    /// releases the database.
    func settle() { if let writing { writing.writer.settle(isBusy: { writing.queue.isBusy }) } }

    private func suspend(_ surplus: [Database]) {
        // The next write of this database may wait for this thread. Therefore, this thread suspends only one database,
        // and other threads suspend the other databases.
        for database in surplus.dropFirst() { BlockingPool.shared.submit { database.suspend() } }
        surplus.first?.suspend()
    }

    /// Closes the files until the next use. Does nothing if a read or write is in progress.
    func suspend() {
        guard isResting else { return files.keep(self) }
        readers.closeIdle()
        writing?.writer.suspend()
        commits?.suspend()
        designs.forget()
        indexes.forget()
        // If another read or write has begun since the check above, the database is listed as open again.
        if !isResting || readers.isOpen { files.keep(self) } else { rested(self) }
    }

    /// Copies the write-ahead log into the file, up to the oldest state that a reader still uses.
    func checkpoint() async throws {
        guard let writer = writing?.writer else { throw StoreError.readOnly }
        try await BlockingPool.shared.run { try writer.checkpoint() }
    }

    /// Ends all change feeds, stops the background tasks, finishes the accepted writes, ends the states of answers, and
    /// closes the readers and then the writer.
    ///
    /// - Parameter settles: Whether the file may be marked as clean in the catalogue.
    func close(settles: Bool = true) async {
        hub.close()
        await builds.stop()
        await housekeeping.stop()
        await writing?.queue.close()
        readers.beginClosing()
        files.snapshots.end(.kept, of: self)
        await readers.close()
        let (writer, commits) = (writing?.writer, commits)
        try? await BlockingPool.shared.run {
            writer?.close(settles: settles)
            commits?.suspend()
        }
        files.closed(self)
    }
}

// MARK: Several processes

extension Database {
    /// Publishes the commits that the process that writes has made since the last call. Blocks for the disk.
    ///
    /// - Returns: `false` if the database was deleted, replaced or restored, so that it must be closed.
    func follow() throws -> Bool {
        guard let commits else { return true }
        guard try catalogue.entry(of: name)?.state == .live,
            ExactText.areEqual(try catalogue.instance(of: name), commits.instance)
        else { return false }
        guard let (state, found) = try commits.next() else { return true }
        guard found == identity else { return false }
        designs.forget()
        indexes.forget()
        hub.publish(state, changes: []).resume()
        return true
    }

    /// Whether no connection is open and no snapshot is left, after ``suspend()``.
    var isSuspended: Bool {
        isResting && !readers.isOpen && writing?.writer.isOpen != true && commits?.isOpen != true
            && !files.snapshots.isAny(of: self)
    }

    /// Whether the file has the state that this process knows. It has another one if another process has written it
    /// while the manager was suspended. Blocks for the disk.
    func isUnchanged() throws -> Bool {
        guard let writer = writing?.writer else { return try follow() }
        let connection = try file.openFollower()
        defer { connection.close() }
        let (state, found) = try DatabaseState.read(from: connection)
        writer.repeatMark()
        return found == identity && state == hub.current
    }

    /// Ends the states that answers keep and that are idle or too old, because they stop the other process from
    /// beginning its log again.
    func endOldSnapshots() {
        files.snapshots.end(.old, of: self)
        files.snapshots.end(.idle, of: self)
    }

    /// Schedules the background tasks that may have failed while the manager was suspended. Blocks for the disk.
    func resumeTasks() {
        guard writing != nil else { return }
        catchUpIndexesSoon()
        collectBlobsSoon()
        let next = try? read { try DocumentTable($0, scope: .all).nextExpiration() }
        if let expiration = next ?? nil { expiryIsSet(for: expiration) }
    }
}

// MARK: Background tasks

extension Database {
    /// Schedules the removal of attachment bytes that nothing references.
    func collectBlobsSoon() {
        housekeeping.start(.blobs) { [weak self] in try await self?.collectBlobs() }
    }

    /// Schedules the update of indexes that do not contain the latest changes yet.
    func catchUpIndexesSoon() {
        housekeeping.start(.indexes) { [weak self] in try await self?.catchUpIndexes() }
    }

    /// Schedules the removal of expired documents at `date`.
    func expiryIsSet(for date: Date) {
        housekeeping.start(.expiry, at: date) { [weak self] in try await self?.removeExpired() }
    }

    /// Schedules the automatic resolution of the conflicts that wait for it.
    func scheduleResolution() {
        housekeeping.start(.conflicts) { [weak self] in try await self?.resolveConflicts() }
    }
}
