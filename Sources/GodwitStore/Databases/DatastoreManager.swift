//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitKeys
import GodwitSQLite
import GodwitThreads

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The databases of one directory.
///
/// One manager of one process holds a directory at a time. It gives the same ``Datastore`` for the same name for as
/// long as that is open.
///
/// ```swift
/// let manager = try DatastoreManager(directory: "/var/lib/trips")
/// let trips = try await manager.datastore(named: "trips")
/// ```
public final class DatastoreManager: Sendable {
    /// The directory that holds the files.
    public let directory: String

    /// When a write of these databases is on disk.
    public let durability: Durability

    /// The limits of its databases.
    public let limits: StoreLimits

    let catalogue: Catalogue
    let journal = DatabaseJournal()
    /// Room on the disk for what has to go on when it is full.
    let reserve: DiskReserve
    /// What was found damaged.
    package let damages = DamageReports()
    let openFiles: OpenFiles
    /// What the files lie on, with the directory's own key if it has one.
    let disk: SQLiteDisk
    let kinds: [String: any IndexKind]
    /// Whom writes are shown to before they are done; `nil` for nobody.
    package let validator: (any WriteValidator)?
    let followed = FollowedDesigns()
    let steps: @Sendable (DatabaseStep) -> Void
    let names = NameLocks()
    let state: Mutex<State>

    struct State: ~Copyable {
        var open: OpenDatastores
        /// Made by this process and not opened yet: dirty in the catalogue, but nothing of them can be lost.
        var fresh: Set<String> = []
        var lock: DirectoryLock?
        var isClosed = false
    }

    /// Opens a directory, making it when it is not there, with what the layers above or a test bring.
    ///
    /// - Parameters:
    ///   - key: What every file of the directory is encrypted with, the list of databases among them; `nil` for plain
    ///     files.
    ///   - indexes: The kinds of indexes that are kept.
    ///   - validator: Finds what writes are held against; `nil` for nothing.
    ///   - disk: The name of SQLite's interface to the disk; `nil` for the system's.
    ///   - steps: Called before each step of a change that takes several; a test ends the process there.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse`` when another process has it open.
    package init(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default, key: EncryptionKey? = nil,
        indexes: [any IndexKind], validator: (any WriteValidator)? = nil, disk: String? = nil,
        steps: @escaping @Sendable (DatabaseStep) -> Void = { _ in }
    ) throws(StoreError) {
        self.directory = directory
        self.durability = durability
        self.limits = limits
        self.steps = steps
        self.validator = validator
        kinds = Dictionary(indexes.map { ($0.kind, $0) }, uniquingKeysWith: { _, last in last })
        openFiles = OpenFiles(limits: limits)
        reserve = DiskReserve(directory: directory)
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                .storage, "\(directory) cannot be made. Is the folder above it there, and may you write to it?",
                cause: error)
        }
        let lock = try DirectoryLock(directory: directory)
        try KeyChangeMark.checkIsAbsent(in: directory)
        do {
            let plain = SQLiteDisk(named: disk)
            self.disk = try key.map { try Secret.key($0).disk(on: plain) } ?? plain
            catalogue = try Catalogue(directory: directory, disk: self.disk)
            state = Mutex(State(open: OpenDatastores(keptMax: limits.databasesKeptMax), lock: lock))
            try recover()
        } catch {
            throw StoreError(wrapping: error, subject: "\(directory)/\(Catalogue.fileName)")
        }
    }

    /// The database of a name, made when there is none.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - encryption: What its file is or will be encrypted with; `nil` for the directory's key, or none if it has none.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidDatabaseName`` when the name breaks the rule, or when
    ///   the file is there and is not encrypted so: ``StoreError/Code/encrypted``, ``StoreError/Code/notEncrypted``,
    ///   ``StoreError/Code/wrongKey``. ``StoreError/Code/noKey`` when a provider has none.
    public func datastore(
        named name: String, encryption: Encryption? = nil
    ) async throws(StoreError) -> Datastore {
        try await datastore(named: name, encryption: encryption, creating: true)
    }

    /// The database of a name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - encryption: As for ``datastore(named:encryption:)``.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseNotFound`` when there is none.
    public func existingDatastore(
        named name: String, encryption: Encryption? = nil
    ) async throws(StoreError) -> Datastore {
        try await datastore(named: name, encryption: encryption, creating: false)
    }

    /// Makes a database with what somebody wishes to be kept by the commit that names it first.
    ///
    /// - Parameter template: What it begins with, made by this manager; `nil` for an empty one.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseExists`` when there is one of this name: nothing was
    ///   kept then.
    package func create(
        named name: String, wish: CreationWish, from template: DatabaseTemplate? = nil
    ) async throws(StoreError) {
        let checked = try DatabaseName(name)
        let origin: DatabaseFiles.Origin = template.map { .template($0) } ?? .empty(isPartitioned: false)
        try await onPool { try self.make(checked, from: origin, on: self.disk, wish: wish) }
    }

    /// Makes a database.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - isPartitioned: Whether its documents' ids are to be of CouchDB's form `PARTITION:ID`.
    ///   - encryption: What its file is encrypted with; `nil` for the directory's key, or none if it has none.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseExists`` when there is one of this name.
    public func create(
        named name: String, isPartitioned: Bool = false, encryption: Encryption? = nil
    ) async throws(StoreError) {
        let checked = try DatabaseName(name)
        let secret = try await secret(of: encryption)
        try await onPool {
            try self.make(checked, from: .empty(isPartitioned: isPartitioned), on: self.disk(for: secret))
        }
    }

    /// Makes a database of a backup.
    ///
    /// It has the documents, revisions and changes of the backup, and a new epoch: who comes with a place in the changes
    /// of the database that was backed up goes on at the backup.
    ///
    /// - Parameters:
    ///   - path: A file that ``Datastore/backup(to:as:progress:)`` wrote.
    ///   - name: The name of the database to make.
    ///   - backupEncryption: What the backup is encrypted with, and then a plain one is refused; `nil` when it is plain or
    ///     as the new database is to be.
    ///   - encryption: What the new database is encrypted with; `nil` for the directory's key, or none if it has none.
    ///   - progress: Called now and then with the pages that are copied and the pages in all, after the backup was checked.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseExists`` when there is one of this name,
    ///   ``StoreError/Code/corrupt`` when the file is no whole database, ``StoreError/Code/encrypted`` or
    ///   ``StoreError/Code/wrongKey`` when it cannot be read.
    public func restore(
        from path: String, encryptedWith backupEncryption: Encryption? = nil, named name: String,
        encryption: Encryption? = nil, progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(StoreError) {
        let checked = try DatabaseName(name)
        let (backupSecret, secret) = try await (secret(of: backupEncryption), secret(of: encryption))
        try await onPool {
            let disk = try self.disk(for: secret)
            // What was said of the backup is to be true; without a word it is looked at.
            let origin =
                try backupSecret.map { try $0.disk(on: disk) }
                ?? (DatabaseFiles.isLikelyEncrypted(path) ? disk : disk.plain)
            try self.make(checked, from: .backup(path, on: origin, progress: progress), on: disk)
        }
    }

    /// Deletes a database with all that it holds.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseNotFound`` when there is none.
    public func delete(named name: String) async throws(StoreError) {
        let (entry, datastore) = try await onPool { () throws -> (Catalogue.Entry, Datastore?) in
            try self.names.withLock(name) {
                guard let entry = try self.catalogue.entry(of: name), entry.state == .live else {
                    throw StoreError.noDatabase
                }
                self.steps(.beginDeletion)
                try self.reserve.perform { try self.catalogue.beginDeletion(of: name) }
                return (entry, self.state.withLock { $0.open.remove(name) })
            }
        }
        await datastore?.database.close()
        try await onPool {
            try self.names.withLock(name) { try self.removeFiles(of: entry) }
            self.reserve.refill()
        }
        journal.publish()
    }

    /// Closes one database; without one that is open nothing happens.
    ///
    /// Writes that were taken are finished and feeds end. Further use of the instance throws
    /// ``StoreError/Code/closed``; the next ``datastore(named:)`` opens the database again.
    public func close(named name: String) async {
        guard let datastore = openDatastore(named: name) else { return }
        await datastore.database.close()
        state.withLock { $0.open.remove(datastore.database) }
    }

    /// The indexes that are being brought up to date now by functions.
    package var indexProgress: [(datastore: Datastore, progress: IndexProgress)] {
        state.withLock { $0.open.all }.sorted { $0.name < $1.name }
            .flatMap { store in store.indexProgress.map { (store, $0) } }
    }

    /// The names of all databases, in bytewise order.
    public func names() async throws(StoreError) -> [String] {
        try await names(in: IDRange())
    }

    /// The names of the databases in a range, in bytewise order or against it.
    package func names(
        in range: IDRange, descending: Bool = false, limit: Int = .max, skip: Int = 0
    ) async throws(StoreError) -> [String] {
        try await onPool { try self.catalogue.names(in: range, descending: descending, rowsMax: limit, skip: skip) }
    }

    /// Finishes what is under way and closes every file. Further use throws ``StoreError/Code/closed``.
    public func close() async {
        let held = state.withLock { state -> (datastores: [Datastore], fresh: Set<String>)? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            defer { (state.open, state.fresh) = (OpenDatastores(keptMax: 0), []) }
            return (state.open.all, state.fresh)
        }
        guard let (datastores, fresh) = held else { return }
        journal.close()
        await withTaskGroup { group in
            for datastore in datastores { group.addTask { await datastore.database.close() } }
        }
        try? await BlockingPool.shared.run {
            // Whoever came before the flag was set is done when each lock was held once.
            self.names.waitForAll()
            // Nobody wrote to those that were made and never opened; with flushes they are whole.
            if self.durability == .full { for name in fresh { self.catalogue.markClean(name, isUnrecorded: false) } }
            self.catalogue.close()
        }
        state.withLock { $0.lock = nil }
    }

    /// Keeps room on the disk, so that the next start succeeds and databases can be deleted when it is full. For servers: the
    /// host of a library looks after its disk.
    ///
    /// - Parameter observer: Told when the disk is found full, and when it has room again.
    /// - Returns: Whether it has room now.
    package func keepReserve(observer: @escaping @Sendable (_ hasRoom: Bool) -> Void) async -> Bool {
        let hasRoom = try? await BlockingPool.shared.run { [reserve] in reserve.keep(observer: observer) }
        return hasRoom ?? false
    }

    /// Ends all feeds that wait for changes, ahead of ``close()``: whoever serves them can finish.
    package func endFeeds() {
        journal.close()
        for datastore in state.withLock({ $0.open.all }) { datastore.hub.close() }
    }

}
