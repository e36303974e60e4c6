//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
import GodwitSQLite

extension DatastoreManager {
    // MARK: Writing

    /// Copies all databases, one after the other, into a new backup set. Each copy is one state of its database, with
    /// the encryption of the database. The set appears under its name when it is complete and on disk.
    ///
    /// Each new copy is checked as ``Datastore/check(faultsMax:)`` does. If a database cannot be copied, or its copy is
    /// damaged, it is listed as a failure, and the backup continues with the other databases. A full disk ends the
    /// backup, and the unfinished set is removed.
    ///
    /// - Parameters:
    ///   - sets: The directory of the sets. It is created if it is absent.
    ///   - name: The name of the new set.
    ///   - progress: Called after each database with the number of copied databases and the total.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/fileInUse`` if another task or process writes a set to the
    ///   directory, ``StoreError/Code/fileExists`` if a set has this name; `CancellationError` if the task is
    ///   cancelled.
    package func backUpAll(
        to sets: BackupSets, named name: String, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws -> BackupSummary {
        let lock = try await onPool {
            do {
                try FileManager.default.createDirectory(
                    atPath: sets.directory, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: StoreLimits.backupDirectoryMode])
            } catch {
                throw StoreError(
                    .storage, "\(sets.directory) cannot be created. Check that you may write to it.", cause: error)
            }
            return try BackupLock(of: sets.path(of: "set"))
        }
        defer { lock.release() }
        let writer = try await onPool { try BackupSetWriter(sets, named: name, on: self.disk) }
        let names = try await names()
        for (position, database) in names.enumerated() {
            try Task.checkCancellation()
            try await add(database, to: writer)
            progress(position + 1, names.count)
        }
        for part in includedParts {
            try Task.checkCancellation()
            let (bytes, failures) = try await part.backUp(
                to: writer.path(ofModule: part.folderName), previous: writer.previousPath(ofModule: part.folderName))
            try await onPool { try writer.add(part.folderName, bytes: bytes, failures: failures) }
        }
        return try await onPool { try writer.finish(settings: self.catalogue.settings(beginningWith: "")) }
    }

    /// Copies one database into a set. If the database has not changed since the previous set, adds a link to the copy
    /// in that set instead.
    private func add(_ name: String, to writer: BackupSetWriter) async throws {
        let checkedName = try DatabaseName(name)
        let isLinked = try await onPool { () throws -> Bool in
            guard let entry = try self.catalogue.entry(of: name), entry.state == .live else { return true }
            let state = FileState(of: self.file(entry.file, on: self.disk).path)
            return try writer.begin(checkedName, state: state, security: self.catalogue.security(of: name) ?? nil)
        }
        guard !isLinked else { return }
        let path = writer.path(of: checkedName)
        do {
            let count = try await copy(name, to: path)
            let faults = try await check(copy: path)
            try await onPool { try writer.end(checkedName, documents: count, fault: faults.first?.description) }
        } catch let error as StoreError where error.code == .databaseNotFound {
            // The database was deleted meanwhile.
        } catch let error as StoreError where error.code != .diskFull && error.code != .closed && !Task.isCancelled {
            try await onPool { try writer.fail(checkedName, "\(error)") }
        }
    }

    /// Copies one database. If writes are faster than the copy, the copy begins again some times.
    ///
    /// - Returns: The number of documents in the database after the copy.
    private func copy(_ name: String, to path: String) async throws -> Int {
        let datastore = try await existingDatastore(named: name)
        try await Snapshot.repeatingIfExpired { try await datastore.backup(to: path) }
        return try datastore.documentCount
    }

    // MARK: Reading

    /// Removes the sets that a crash left unfinished. Does nothing if the directory is absent or its lock cannot be
    /// taken.
    package func removeUnfinished(_ sets: BackupSets) async throws {
        try await onPool {
            guard DatabaseFiles.exists(sets.directory), let lock = try? BackupLock(of: sets.path(of: "set")) else {
                return
            }
            defer { lock.release() }
            try sets.removeUnfinished()
        }
    }

    /// Returns the counts of a set.
    package func summary(of set: String) async throws(StoreError) -> BackupSummary {
        try await withManifest(of: set) { try $0.summary() }
    }

    /// Returns the databases of a set whose names are not less than a given name, in ascending order of the names.
    package func entries(of set: String, from name: String, rowsMax: Int) async throws(StoreError) -> [BackupEntry] {
        try await withManifest(of: set) { try $0.entries(from: name, rowsMax: rowsMax) }
    }

    /// Returns the databases that could not be copied into a set, in ascending order of the names.
    package func failures(of set: String, rowsMax: Int) async throws(StoreError) -> [BackupEntry] {
        try await withManifest(of: set) { try $0.failures(rowsMax: rowsMax) }
    }

    private func withManifest<Result: Sendable>(
        of set: String, _ body: @escaping @Sendable (BackupManifest) throws -> Result
    ) async throws(StoreError) -> Result {
        try await onPool { try body(try BackupManifest(reading: set, on: self.disk(forFilesOf: set))) }
    }

    /// The disk interface for the files of a set. For a plain set it is a plain interface, so that a manager with a key
    /// can read the set.
    private func disk(forFilesOf set: String) -> SQLiteDisk {
        DatabaseFiles.isLikelyEncrypted("\(set)/\(BackupManifest.fileName)") ? disk : disk.plain
    }

    /// Creates a database from its copy in a set, with the security object that the original had.
    ///
    /// - Parameters:
    ///   - name: The name of the database in the set.
    ///   - newName: The name of the new database.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseNotFound`` if the set has no copy of the database;
    ///   the errors of ``restore(from:encryptedWith:named:encryption:progress:)``.
    package func restore(_ name: String, ofSet set: String, as newName: String) async throws(StoreError) {
        let entry = try await withManifest(of: set) { try $0.entry(named: name) }
        guard let entry, entry.hasCopy else {
            throw StoreError(.databaseNotFound, "The backup has no copy of the database \(name).")
        }
        try await restore(entry, ofSet: set, as: newName)
    }

    private func restore(_ entry: BackupEntry, ofSet set: String, as newName: String) async throws(StoreError) {
        let path = try BackupSets.file(of: entry.name, inSet: set)
        try await restore(from: path, named: newName, record: CreationRecord(security: entry.security))
    }

    /// Creates all undamaged databases of a set, and copies the settings of its server: administrators, applications,
    /// API keys. Intended for a new directory.
    ///
    /// - Parameters:
    ///   - parts: The server modules whose files are restored.
    ///   - progress: Called after each database with the number of restored databases and the total.
    /// - Returns: The number of restored databases.
    package func restoreAll(
        fromSet set: String, parts: [any DirectoryPart] = [], progress: (_ done: Int, _ total: Int) -> Void
    ) async throws(StoreError) -> Int {
        for part in parts { try await onPool { try self.restore(part, fromSet: set) } }
        let total = try await summary(of: set).databases
        var (nextName, doneCount) = ("", 0)
        while true {
            let entries = try await entries(of: set, from: nextName, rowsMax: StoreLimits.backupEntriesAtOnce)
            for entry in entries where entry.failure == nil {
                try await restore(entry, ofSet: set, as: entry.name)
                doneCount += 1
                progress(doneCount, total)
            }
            guard entries.count == StoreLimits.backupEntriesAtOnce, let last = entries.last else { break }
            nextName = last.name + "\0"
        }
        try await withManifest(of: set) { manifest in
            try manifest.forEachSetting { try self.catalogue.setSetting($0, to: $1) }
        }
        return doneCount
    }

    /// Copies the files of a server module from a set, and gives them the encryption of the directory.
    private func restore(_ part: any DirectoryPart, fromSet set: String) throws {
        let source = ModuleFolder(path: "\(set)/\(part.folderName)", disk: disk)
        guard source.exists else { return }
        let folder = folder(named: part.folderName)
        try source.copyFiles(to: folder.path)
        guard disk.cipher != nil, !DatabaseFiles.isLikelyEncrypted(folder.cataloguePath) else { return }
        try FileConversion.convert(folder.cataloguePath, from: disk.plain, to: disk)
        try part.changeKey(in: folder)
    }

    /// Checks the copy of a database in a set, as ``Datastore/check(faultsMax:)`` checks a database.
    package func check(_ entry: BackupEntry, ofSet set: String) async throws(StoreError) -> [Fault] {
        do {
            return try await check(copy: try BackupSets.file(of: entry.name, inSet: set))
        } catch {
            throw StoreError(wrapping: error, subject: entry.name)
        }
    }

    private func check(copy path: String) async throws -> [Fault] {
        try await withCancellationFlag { cancellation in
            try await onPool {
                let disk = DatabaseFiles.isLikelyEncrypted(path) ? self.disk : self.disk.plain
                let connection = try Backup.openFile(path, on: disk, isChecked: false)
                defer { connection.close() }
                var check = try DatabaseCheck(
                    of: connection, kinds: self.kinds, faultsMax: StoreLimits.faultsMax, cancellation)
                return try check.run()
            }
        }
    }
}
