//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
package import GodwitKeys
import GodwitSQLite

/// The databases of one directory.
///
/// Only one manager can have a directory open at a time, even if there are several processes. Other managers can read
/// the directory if its manager shares it (``DirectoryOptions/isShared``). The manager returns the same ``Datastore``
/// for the same name while that datastore is open.
///
/// ```swift
/// let manager = try DatastoreManager(directory: "/var/lib/trips")
/// let trips = try await manager.datastore(named: "trips")
/// ```
public final class DatastoreManager: Sendable {
    /// The directory that contains the files.
    public let directory: String

    /// Whether a write to these databases is on disk when it is acknowledged, or only after the next checkpoint.
    public let durability: Durability

    /// The limits of its databases.
    public var limits: StoreLimits { currentLimits.value }

    /// Whether another process writes the directory, and this manager only reads it.
    public let isReadOnly: Bool

    let currentLimits: CurrentLimits
    let catalogue: Catalogue
    let journal = DatabaseJournal()
    /// Reserved disk space for the operations that must succeed on a full disk.
    let reserve: DiskReserve
    /// The damage that was found in the databases.
    package let damages = DamageReports()
    /// Reports databases whose files were replaced by older copies.
    package let rollbacks = RollbackReports()
    /// The background work that is running, and the work that is held. A server opens it.
    package let backgroundWork: WorkJournal
    let openFiles: OpenFiles
    /// SQLite's disk interface, with the cipher of the directory's key if it has one.
    let disk: SQLiteDisk
    let kinds: [String: any IndexKind]
    /// Validates writes before they are committed; `nil` for no validation.
    package let validator: (any WriteValidator)?
    let followed = FollowedDesigns()
    let steps: @Sendable (DatabaseStep) -> Void
    let names = NameLocks()
    /// Serializes suspending, resuming and closing.
    let transitions = KeyedAsyncLock<String>()
    /// The server modules whose files are included in backups.
    let backupParts = Mutex<[any BackupPart]>([])
    let state: Mutex<State>

    struct State: ~Copyable {
        var open: OpenDatastores
        /// The databases that this process created and has not opened yet. The catalogue marks them as dirty, although
        /// they have no writes.
        var fresh: Set<String> = []
        var lock: DirectoryLock?
        var isClosed = false
    }

    /// Opens a directory with the dependencies that a higher layer or a test supplies. Creates the directory if it is
    /// absent.
    ///
    /// - Parameters:
    ///   - key: The key of every file in the directory, including the catalogue; `nil` if the files are not encrypted.
    ///   - options: The properties of the directory on a phone.
    ///   - indexes: The supported kinds of indexes.
    ///   - validator: Supplies the validation rules of writes; `nil` for no validation.
    ///   - disk: The name of SQLite's VFS; `nil` for the VFS of files that only one process uses.
    ///   - steps: Called before each step of a creation or deletion. A test can end the process in this call.
    /// - Throws: ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/directoryInUse`` if another manager, of this or another process, has the directory open.
    ///   - ``StoreError/Code/keyChangePending`` if a change of the directory's key was interrupted.
    ///   - ``StoreError/Code/encrypted`` or ``StoreError/Code/wrongKey`` if the key does not match.
    ///   - ``StoreError/Code/formatTooNew`` if a newer version wrote the catalogue.
    ///   - ``StoreError/Code/notSupported`` if a directory with a key is to be shared.
    package convenience init(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default, key: EncryptionKey? = nil,
        options: DirectoryOptions = DirectoryOptions(), indexes: [any IndexKind],
        validator: (any WriteValidator)? = nil, disk: String? = nil,
        steps: @escaping @Sendable (DatabaseStep) -> Void = { _ in }
    ) throws(StoreError) {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                .storage,
                "\(directory) cannot be created. Check that the parent directory exists and that you may write to it.",
                cause: error)
        }
        guard key == nil || !options.isShared else { throw .encryptionOfShared }
        let lock = try DirectoryLock(directory: directory)
        try options.apply(to: directory)
        try KeyChangeRecord.checkIsAbsent(in: directory)
        let plain = disk.map { SQLiteDisk(named: $0) } ?? (options.isShared ? .shared : .system)
        try self.init(
            directory, durability: durability, limits: limits, key: key, indexes: indexes, validator: validator,
            disk: plain, lock: lock, steps: steps)
        do { try recover() } catch { throw StoreError(wrapping: error, subject: directory) }
    }

    /// Opens a directory that another process writes, with the dependencies that a higher layer supplies.
    ///
    /// - Parameters:
    ///   - indexes: The kinds of indexes that queries read.
    ///   - followMilliseconds: The time between two looks for commits of the other process, in milliseconds.
    /// - Throws: ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/databaseNotFound`` if no manager has created the directory yet.
    ///   - ``StoreError/Code/directoryInUse`` if a manager has the directory open without sharing it.
    package convenience init(
        reading directory: String, limits: StoreLimits = .default, indexes: [any IndexKind],
        followMilliseconds: Int = StoreLimits.followMilliseconds
    ) throws(StoreError) {
        try KeyChangeRecord.checkIsAbsent(in: directory)
        try self.init(
            directory, durability: .full, limits: limits, key: nil, indexes: indexes, validator: nil, disk: .shared,
            lock: nil, steps: { _ in })
        follow(every: followMilliseconds)
    }

    /// - Parameter lock: The lock of the directory; `nil` for a manager that only reads.
    private init(
        _ directory: String, durability: Durability, limits: StoreLimits, key: EncryptionKey?,
        indexes: [any IndexKind], validator: (any WriteValidator)?, disk plain: SQLiteDisk,
        lock: consuming DirectoryLock?, steps: @escaping @Sendable (DatabaseStep) -> Void
    ) throws(StoreError) {
        self.directory = directory
        self.durability = durability
        currentLimits = CurrentLimits(limits)
        self.steps = steps
        self.validator = validator
        kinds = Dictionary(indexes.map { ($0.kind, $0) }, uniquingKeysWith: { _, last in last })
        openFiles = OpenFiles(limits: limits)
        backgroundWork = WorkJournal(storesNames: key == nil)
        reserve = DiskReserve(directory: directory)
        isReadOnly = lock == nil
        do {
            disk = try key.map { try Secret.key($0).disk(on: plain) } ?? plain
            catalogue =
                isReadOnly
                ? try Catalogue(reading: directory, disk: disk) : try Catalogue(directory: directory, disk: disk)
            state = Mutex(State(open: OpenDatastores(keptMax: limits.databasesKeptMax), lock: lock))
        } catch {
            throw StoreError(wrapping: error, subject: "\(directory)/\(Catalogue.fileName)")
        }
    }

    /// Changes the maximum length of a document's body, in bytes, for all databases. Longer documents that are stored
    /// already can still be read.
    package func setBodyBytesMax(_ count: Int) { currentLimits.setBodyBytesMax(count) }

    /// Opens the database with this name. Creates it if it is absent.
    ///
    /// - Parameters:
    ///   - name: The name of the database.
    ///   - encryption: The encryption of the database's file; `nil` for the encryption of the directory, which is none
    ///     if the directory has no key.
    /// - Throws: ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/invalidDatabaseName`` if the name is invalid.
    ///   - ``StoreError/Code/encrypted``, ``StoreError/Code/notEncrypted`` or ``StoreError/Code/wrongKey`` if an
    ///     existing file has another encryption.
    ///   - ``StoreError/Code/noKey`` if a key provider has no key.
    ///   - ``StoreError/Code/databaseExists`` while a database with this name is being deleted.
    ///   - ``StoreError/Code/diskFull`` if a database must be created and the disk is full.
    public func datastore(
        named name: String, encryption: Encryption? = nil
    ) async throws(StoreError) -> Datastore {
        try await datastore(named: name, encryption: encryption, creating: true)
    }

    /// Opens the existing database with this name.
    ///
    /// - Parameters:
    ///   - name: The name of the database.
    ///   - encryption: As for ``datastore(named:encryption:)``.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseNotFound`` if no database has this name.
    public func existingDatastore(
        named name: String, encryption: Encryption? = nil
    ) async throws(StoreError) -> Datastore {
        try await datastore(named: name, encryption: encryption, creating: false)
    }

    /// Creates a database, and stores the given data in the commit that begins the creation.
    ///
    /// - Parameter template: The initial content, created by this manager; `nil` for an empty database.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseExists`` if a database has this name or is being
    ///   deleted. Nothing is stored then.
    package func create(
        named name: String, record: CreationRecord, from template: DatabaseTemplate? = nil
    ) async throws(StoreError) {
        let checkedName = try DatabaseName(name)
        let origin: DatabaseFiles.Origin = template.map { .template($0) } ?? .empty(isPartitioned: false)
        try await onPool { try self.make(checkedName, from: origin, on: self.disk, record: record) }
    }

    /// Creates an empty database.
    ///
    /// - Parameters:
    ///   - name: The name of the database.
    ///   - isPartitioned: Whether document ids must have CouchDB's form `PARTITION:ID`.
    ///   - encryption: The encryption of the database's file; `nil` for the encryption of the directory, which is none
    ///     if the directory has no key.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseExists`` if a database has this name.
    public func create(
        named name: String, isPartitioned: Bool = false, encryption: Encryption? = nil
    ) async throws(StoreError) {
        let checkedName = try DatabaseName(name)
        let secret = try await secret(of: encryption)
        try await onPool {
            try self.make(checkedName, from: .empty(isPartitioned: isPartitioned), on: self.disk(for: secret))
        }
    }

    /// Creates a database from a backup.
    ///
    /// The new database has the documents, revisions and changes of the backup, and a new epoch. Therefore, a client
    /// whose sequence is later than the backup continues at the end of the backup.
    ///
    /// - Parameters:
    ///   - path: A file that ``Datastore/backup(to:as:progress:)`` wrote.
    ///   - name: The name of the new database.
    ///   - backupEncryption: The encryption of the backup. If it is given, a plain backup is rejected. Pass `nil` if
    ///     the backup is plain or has the encryption of the new database.
    ///   - encryption: The encryption of the new database; `nil` for the encryption of the directory, which is none if
    ///     the directory has no key.
    ///   - progress: Called repeatedly with the number of copied pages and the total, after the backup was checked.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseExists`` if a database has this name or is being
    ///   deleted, ``StoreError/Code/corrupt`` if the file is not an intact database, ``StoreError/Code/encrypted`` or
    ///   ``StoreError/Code/wrongKey`` if the backup cannot be decrypted.
    public func restore(
        from path: String, encryptedWith backupEncryption: Encryption? = nil, named name: String,
        encryption: Encryption? = nil, progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(StoreError) {
        try await restore(
            from: path, encryptedWith: backupEncryption, named: name, encryption: encryption, record: CreationRecord(),
            progress: progress)
    }

    /// Creates a database from a backup, and stores the given data in the commit that begins the creation.
    func restore(
        from path: String, encryptedWith backupEncryption: Encryption? = nil, named name: String,
        encryption: Encryption? = nil, record: CreationRecord,
        progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(StoreError) {
        let checkedName = try DatabaseName(name)
        let (backupSecret, secret) = try await (secret(of: backupEncryption), secret(of: encryption))
        try await onPool {
            let disk = try self.disk(for: secret)
            // Use the caller's encryption if given; otherwise detect whether the backup is encrypted.
            let origin =
                try backupSecret.map { try $0.disk(on: disk) }
                ?? (DatabaseFiles.isLikelyEncrypted(path) ? disk : disk.plain)
            try self.make(
                checkedName, from: .backup(path, on: origin, kinds: self.kinds, progress: progress), on: disk,
                record: record)
        }
    }

    /// Deletes a database and all its content.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseNotFound`` if no database has this name.
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

    /// Closes one database. Does nothing if it is not open.
    ///
    /// Accepted writes are finished and change feeds end. Further use of the instance throws
    /// ``StoreError/Code/closed``; the next ``datastore(named:)`` opens the database again.
    public func close(named name: String) async {
        guard let datastore = openDatastore(named: name) else { return }
        await datastore.database.close()
        state.withLock { $0.open.remove(datastore.database) }
    }

    private static let shrunkAtATime = 16

    /// Closes the files of all databases that are not in use, which frees their caches. The next use opens them again,
    /// which takes some milliseconds.
    ///
    /// An app calls this method when the system warns that memory is low, and when it enters the background, because
    /// the system ends the processes with the most memory first:
    ///
    /// ```swift
    /// func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
    ///     Task { await manager.shrink() }
    /// }
    /// ```
    ///
    /// - Returns: The number of databases whose files are closed now and were open.
    @discardableResult
    public func shrink() async -> Int {
        // In groups: a database is not counted as open while its files are being closed.
        var (seen, closedCount) = (Set<ObjectIdentifier>(), 0)
        while true {
            let resting = openFiles.takeResting(DatastoreManager.shrunkAtATime, notIn: seen)
            guard !resting.isEmpty else { return closedCount }
            seen.formUnion(resting.map { ObjectIdentifier($0) })
            _ = try? await BlockingPool.shared.run { for database in resting { database.suspend() } }
            closedCount += resting.count { !openFiles.isOpen($0) }
        }
    }

    /// The progress of the indexes that are being updated now by functions of design documents.
    package var indexProgress: [(datastore: Datastore, progress: IndexProgress)] {
        state.withLock { $0.open.all }.sorted { $0.name < $1.name }
            .flatMap { store in store.indexProgress.map { (store, $0) } }
    }

    /// The names of all databases, in ascending bytewise order.
    public func names() async throws(StoreError) -> [String] {
        try await names(in: IDRange())
    }

    /// The names of the databases in a range, in ascending or descending bytewise order.
    package func names(
        in range: IDRange, descending: Bool = false, limit: Int = .max, skip: Int = 0
    ) async throws(StoreError) -> [String] {
        try await onPool { try self.catalogue.names(in: range, descending: descending, rowsMax: limit, skip: skip) }
    }

    /// Finishes the operations in progress and closes every file. Further use throws ``StoreError/Code/closed``.
    public func close() async { await transitions.withLock("") { await closeAll() } }

    private func closeAll() async {
        let openState = state.withLock { state -> (datastores: [Datastore], fresh: Set<String>)? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            defer { (state.open, state.fresh) = (OpenDatastores(keptMax: 0), []) }
            return (state.open.all, state.fresh)
        }
        guard let (datastores, fresh) = openState else { return }
        journal.close()
        await withTaskGroup { group in
            for datastore in datastores { group.addTask { await datastore.database.close() } }
        }
        try? await BlockingPool.shared.run {
            // Each name's lock is acquired once. After that, all operations that began before `isClosed` was set are
            // finished.
            self.names.waitForAll()
            // Databases that were created and never opened have no writes. With full durability their files are
            // complete.
            if self.durability == .full {
                for name in fresh { self.catalogue.markClean(name, at: nil, isUnrecorded: false) }
            }
            self.catalogue.close()
        }
        backgroundWork.close()
        state.withLock { $0.lock = nil }
        openFiles.isSuspended = false
    }

    /// Reserves disk space, so that even on a full disk the next start succeeds and databases can be deleted. This
    /// method is intended for servers. On the device of a user, apps do not reserve disk space.
    ///
    /// - Parameter observer: Called with `false` when the disk is found full, and with `true` when it has free space
    ///   again.
    /// - Returns: Whether the disk has free space now.
    package func keepReserve(observer: @escaping @Sendable (_ hasCapacity: Bool) -> Void) async -> Bool {
        let hasCapacity = try? await BlockingPool.shared.run { [reserve] in reserve.keep(observer: observer) }
        return hasCapacity ?? false
    }

    /// Ends all feeds that wait for changes. Call it before ``close()``, so that the tasks that serve these feeds can
    /// finish.
    package func endFeeds() {
        journal.close()
        for datastore in state.withLock({ $0.open.all }) { datastore.hub.close() }
    }

}
