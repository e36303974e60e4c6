//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// The steps of creating a database and of deleting a database. Each step is reported before it begins.
package enum DatabaseStep: CaseIterable, Sendable {
    case beginCreation, writeFile, renameFile, finishCreation
    case beginDeletion, removeFile, forget
}

extension DatastoreManager {
    func openDatastore(named name: String) -> Datastore? { state.withLock { $0.open.datastore(named: name) } }

    func onPool<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws(StoreError) -> Result {
        do {
            return try await BlockingPool.shared.run {
                guard !self.state.withLock({ $0.isClosed }) else { throw StoreError.closed }
                return try self.openFiles.whileActive(body)
            }
        } catch {
            throw StoreError(wrapping: error, subject: directory)
        }
    }

    func datastore(
        named name: String, encryption: Encryption?, creating: Bool
    ) async throws(StoreError) -> Datastore {
        let secret = try await secret(of: encryption)
        if let existing = openDatastore(named: name) { return try existing.checked(secret, directory: disk) }
        let checkedName = try DatabaseName(name)
        return try await onPool { try self.open(checkedName, secret, creating: creating) }
    }

    private func open(_ checkedName: DatabaseName, _ secret: Secret?, creating: Bool) throws -> Datastore {
        let name = checkedName.description
        return try names.withLock(name) {
            if let existing = openDatastore(named: name) { return try existing.checked(secret, directory: disk) }
            let disk = try disk(for: secret)
            if isReadOnly { return try add(try openedForReading(name, on: disk)) }
            if creating { try removeUnfinishedCreation(of: name) }
            var entry = try catalogue.entry(of: name)
            if entry == nil, creating {
                try build(checkedName, from: .empty(isPartitioned: false), on: disk, record: CreationRecord())
                entry = try catalogue.entry(of: name)
            }
            guard let entry else { throw StoreError.noDatabase }
            guard entry.state == .live else { throw creating ? StoreError.beingDeleted : StoreError.noDatabase }
            let isFresh = state.withLock { $0.fresh.remove(name) != nil }
            let file = file(entry.file, on: disk)
            FileConversion.abandon(file.path)
            if !isFresh, entry.crashState == .writtenUnflushed {
                try DatabaseFiles.remakeIfLost(at: file.path, on: disk)
            }
            return try add(
                try Database(
                    name: name, file: file, crashState: entry.crashState, isFresh: isFresh,
                    dependencies: dependencies(of: name)))
        }
    }

    private func openedForReading(_ name: String, on disk: SQLiteDisk) throws -> Database {
        guard let entry = try catalogue.entry(of: name), entry.state == .live else { throw StoreError.noDatabase }
        return try Database(reading: name, file: file(entry.file, on: disk), dependencies: dependencies(of: name))
    }

    private func dependencies(of name: String) -> Database.Dependencies {
        Database.Dependencies(
            files: openFiles, kinds: kinds, followed: followed, validator: validator, catalogue: catalogue,
            callbacks: callbacks(of: name), damages: damages, rollbacks: rollbacks, reserve: reserve,
            backgroundWork: backgroundWork, rested: { [weak self] in self?.rested($0) })
    }

    private func add(_ database: Database) throws -> Datastore {
        let datastore = Datastore(database)
        let isAdded = state.withLock { state in
            if !state.isClosed { state.open.add(datastore) }
            return !state.isClosed
        }
        guard isAdded else { throw StoreError.closed }
        return datastore
    }

    func make(
        _ name: DatabaseName, from origin: DatabaseFiles.Origin, on disk: SQLiteDisk,
        record: CreationRecord = CreationRecord()
    ) throws {
        try names.withLock(name.description) {
            try checkIsFree(name)
            try build(name, from: origin, on: disk, record: record)
        }
    }

    /// Throws ``StoreError`` with code ``StoreError/Code/databaseExists`` if a database with this name exists or is
    /// being deleted. Call it with the lock of the name.
    func checkIsFree(_ name: DatabaseName) throws {
        try removeUnfinishedCreation(of: name.description)
        guard let entry = try catalogue.entry(of: name.description) else { return }
        guard entry.state == .live else { throw StoreError.beingDeleted }
        throw StoreError(.databaseExists, "The database could not be created, the file already exists.")
    }

    /// Creates a database: records the beginning in the catalogue, writes the file, and records the end.
    ///
    /// - Throws: ``StoreError``, or an error of SQLite or of the file system. If writing or renaming the file fails,
    ///   the file and the catalogue's entry are removed. If recording the end fails, the record may be on the disk
    ///   nevertheless. Therefore, the file remains. If the record is on the disk, the next start of the process keeps
    ///   the database; otherwise, it removes the database. If this process creates a database of this name again, it
    ///   removes the file first.
    private func build(
        _ name: DatabaseName, from origin: DatabaseFiles.Origin, on disk: SQLiteDisk, record: CreationRecord
    ) throws {
        try reserve.checkFreeSpace()
        let identity = DatabaseIdentity.random()
        let path = file(name.filePath, on: disk).path
        steps(.beginCreation)
        try catalogue.beginCreation(
            of: name.description, file: name.filePath, instance: identity.instance, record: record)
        do {
            steps(.writeFile)
            try DatabaseFiles.write(origin, to: path, on: disk, identity: identity, durability: durability)
            steps(.renameFile)
            try DatabaseFiles.publish(path, durability: durability)
        } catch {
            try? DatabaseFiles.remove(at: path)
            try? catalogue.forget(name.description, wasLive: false)
            throw error
        }
        steps(.finishCreation)
        let isComplete = origin.isTemplate && durability == .full
        try catalogue.finishCreation(
            of: name.description, crashState: isComplete ? .clean : Catalogue.CrashState(durability))
        if !isComplete { state.withLock { _ = $0.fresh.insert(name.description) } }
        journal.publish()
    }

    /// Removes a database whose creation failed while the end of the creation was being recorded. Call it with the lock
    /// of the name. No other thread creates the database under this lock, so an entry in the state `creating` belongs
    /// to a creation that failed.
    private func removeUnfinishedCreation(of name: String) throws {
        guard let entry = try catalogue.entry(of: name), entry.state == .creating else { return }
        // The record of the end of the creation may be on the disk, although writing it failed. The record of the
        // deletion replaces it. Otherwise, the database could be live without a file after a crash.
        try reserve.perform { try catalogue.beginDeletion(of: name) }
        try removeFiles(of: entry)
    }

    func removeFiles(of entry: Catalogue.Entry) throws {
        steps(.removeFile)
        try DatabaseFiles.remove(at: file(entry.file, on: disk).path)
        steps(.forget)
        try reserve.perform { try catalogue.forget(entry.name, wasLive: entry.state != .creating) }
    }

    /// Completes the creations and deletions that a crash interrupted, and records the updates of dirty databases. On a
    /// full disk, the files of unfinished databases remain until the next start, and the updates are recorded when the
    /// disk has free space again.
    func recover() throws {
        for entry in try catalogue.unsettled() where entry.state != .live {
            try ignoringFullDisk { try removeFiles(of: entry) }
        }
        let dirty = Set(try catalogue.unsettled().filter { $0.state == .live }.map(\.name))
        if !dirty.isEmpty {
            let isRecorded = try ignoringFullDisk {
                try reserve.perform { try catalogue.recordUpdates(of: { dirty }) }
            }
            if !isRecorded {
                journal.putBack(dirty)
                recordUpdatesSoon()
            }
        }
        try TemporaryFiles.removeAll(in: directory)
    }

    /// - Returns: `false` if the disk was full.
    @discardableResult
    private func ignoringFullDisk(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch {
            guard StoreError(wrapping: error, subject: directory).code == .diskFull else { throw error }
            return false
        }
    }

    func file(_ file: String, on disk: SQLiteDisk) -> DatabaseFile {
        DatabaseFile(path: "\(directory)/\(file)", disk: disk, durability: durability, limits: currentLimits)
    }

    private func callbacks(of name: String) -> DatabaseWriter.CatalogueCallbacks {
        let (catalogue, journal, durability) = (catalogue, journal, durability)
        return DatabaseWriter.CatalogueCallbacks(
            dirty: {
                try catalogue.markDirty(name, Catalogue.CrashState(durability))
                journal.publish()
            },
            clean: { catalogue.markClean(name, at: $0, isUnrecorded: journal.isUnrecorded(name)) },
            written: { [weak self] in
                if journal.add(name) { self?.recordUpdatesSoon() }
            })
    }

    private func recordUpdatesSoon() {
        Task.detached { [weak self] in
            try? await Task.sleep(for: .seconds(StoreLimits.updatesJournalSeconds))
            await self?.recordUpdates()
        }
    }

    /// Called after a database has closed its files. Releases the longest-idle databases if too many are in memory.
    /// Blocks for the disk.
    private func rested(_ database: Database) {
        var idleDatastores = state.withLock { $0.open.rests(database) }
        guard !idleDatastores.isEmpty else { return }
        for datastore in idleDatastores { datastore.database.settle() }
        // The clean marks are flushed before the databases are released, because the next opening of a database reads
        // its mark. If the flush fails, the databases remain in memory.
        let isDurable = isReadOnly || (try? catalogue.settle()) != nil
        state.withLock { state in
            for datastore in idleDatastores { state.open.unreference(datastore, isDurable: isDurable) }
        }
        let names = idleDatastores.map(\.name)
        idleDatastores = []
        state.withLock { $0.open.forget(names) }
    }

    /// The state of an open database's file; `nil` if a power loss may still remove its last commits.
    private func flushedState(of name: String) -> Catalogue.SeenState? {
        guard durability == .full, let database = openDatastore(named: name)?.database else { return nil }
        return Catalogue.SeenState(epoch: database.identity.epoch, sequence: database.hub.current.sequence)
    }

    private func recordUpdates() async {
        let takenNames = Mutex<Set<String>>([])
        do {
            try await onPool { [journal] in
                try self.catalogue.recordUpdates {
                    let names = journal.take()
                    takenNames.withLock { $0 = names }
                    return names
                } state: {
                    self.flushedState(of: $0)
                }
            }
        } catch {
            // The names are added again, so that no update is lost. While `journal` contains the name of a database,
            // the database is dirty, or its clean mark also records the update.
            journal.putBack(takenNames.withLock { $0 })
            if !state.withLock({ $0.isClosed }) { recordUpdatesSoon() }
            guard error.code != .suspended else { return }
        }
        journal.publish()
    }

    /// Runs `body` on the pool with the path of a database's file while the database is closed.
    func whileClosed(_ name: String, _ body: @escaping @Sendable (_ path: String) throws -> Void)
        async throws(StoreError)
    {
        var isDone = false
        while !isDone {
            await close(named: name)
            isDone = try await onPool {
                try self.names.withLock(name) {
                    // Another task may have opened the database in the meantime.
                    guard self.openDatastore(named: name) == nil else { return false }
                    guard let entry = try self.catalogue.entry(of: name), entry.state == .live else {
                        throw StoreError.noDatabase
                    }
                    try body(self.file(entry.file, on: self.disk).path)
                    return true
                }
            }
        }
    }

    /// The pages of a database's file that do not match their authentication codes. Works even if the file cannot be
    /// opened.
    func damagedPages(of name: String) async throws(StoreError) -> [Fault] {
        try await onPool {
            guard let entry = try self.catalogue.entry(of: name) else { throw StoreError.noDatabase }
            return try self.file(entry.file, on: self.disk).damagedPages(faultsMax: StoreLimits.faultsMax)
        }
    }
}

extension StoreError {
    fileprivate static var beingDeleted: StoreError {
        StoreError(.databaseExists, "The database is being deleted. Try again later.")
    }

    static var noDatabase: StoreError { StoreError(.databaseNotFound, "Database does not exist.") }
}
