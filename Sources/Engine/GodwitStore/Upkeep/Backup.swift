//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitKeys
import GodwitSQLite

// A backup is a copy of the database's file, in the state after one commit. The file is copied page by page in a read
// transaction, so writes can continue during the copy. A backup can be opened like any database. A restored copy gets a
// new epoch and instance.

extension Datastore {
    /// Writes a consistent copy of the complete database to a file, while the database is in use.
    ///
    /// The file appears under its name only when it is complete and on disk.
    ///
    /// - Parameters:
    ///   - path: The path of the new file.
    ///   - encryption: The encryption of the copy. If the encryption of the copy differs from that of the database, the
    ///     copy is written twice. The first copy has the encryption of the database and is written in the directory of
    ///     databases, so that no plain file is written next to an encrypted copy.
    ///   - progress: Called repeatedly with the number of copied pages and the total.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/fileExists`` if the file exists,
    ///   ``StoreError/Code/fileInUse`` if another backup to this path is in progress, or
    ///   ``StoreError/Code/snapshotExpired`` if other writes were faster than the copy; `CancellationError` if the task
    ///   is cancelled.
    public func backup(
        to path: String, as encryption: BackupEncryption = .asDatabase,
        progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws {
        let file = database.file
        let otherDisk = try await encryption.disk(insteadOf: file.disk)
        // The first of the two copies would be a temporary file in the directory, which the other process removes.
        guard otherDisk == nil || !database.isReadOnly else { throw StoreError.readOnly }
        let backup = try UnfinishedBackup(of: path)
        defer { backup.end() }
        let copy = otherDisk == nil ? backup.partial : TemporaryFiles.newPath(in: file.directory)
        defer { if otherDisk != nil { TemporaryFiles.remove(copy) } }
        if otherDisk != nil { try DatabaseFiles.create(copy) }
        try await snapshot { snapshot in
            try await withCancellationFlag { cancellation in
                try await BlockingPool.shared.run {
                    try Backup.copy(
                        to: copy, on: file.disk,
                        from: { step in
                            try cancellation.check()
                            try snapshot.read { try step($0.connection) }
                        }, progress: progress)
                }
            }
        }
        try await BlockingPool.shared.run {
            if let otherDisk { try Backup.rewrite(copy, on: file.disk, to: backup.partial, on: otherDisk) }
            try backup.publish()
        }
    }
}

/// The encryption of a backup.
public enum BackupEncryption: Sendable {
    /// The encryption of the database, or none if the database is plain.
    case asDatabase
    /// No encryption: anyone who has the file can read it.
    case plain
    /// The given encryption.
    case encrypted(Encryption)

    /// The disk interface for the final file; `nil` if it is the database's own disk interface.
    fileprivate func disk(insteadOf disk: SQLiteDisk) async throws -> SQLiteDisk? {
        switch self {
        case .asDatabase: nil
        case .plain: disk.cipher == nil ? nil : disk.plain
        case .encrypted(let encryption): try await Secret(encryption).disk(on: disk)
        }
    }
}

/// Creates the files of backups, and creates databases from them.
package enum Backup {
    /// The number of pages that are copied in one step. Between two steps, the source is released for a moment.
    private static let pagesPerStep: Int32 = 1_024

    /// Copies a database to an empty file.
    ///
    /// - Parameters:
    ///   - disk: The disk interface of the source and the copy.
    ///   - source: Provides the connection to copy from, for each step.
    static func copy(
        to path: String, on disk: SQLiteDisk, from source: ((SQLiteConnection) throws -> Void) throws -> Void,
        progress: (Int, Int) -> Void
    ) throws {
        let target = try SQLiteConnection(path: path, access: .readWrite(creating: false), disk: disk)
        defer { target.close() }
        var backup: SQLiteBackup?
        // The backup must end before its target is closed.
        defer { backup = nil }
        var hasMore = true
        while hasMore {
            try source { connection in
                let currentBackup = try backup ?? SQLiteBackup(from: connection, to: target)
                backup = currentBackup
                hasMore = try currentBackup.step(pages: pagesPerStep)
            }
            if let state = backup?.progress { progress(state.pages - state.remaining, state.pages) }
        }
    }

    /// Writes a database that is not in use to an empty file on another disk interface, and flushes it.
    fileprivate static func rewrite(
        _ path: String, on disk: SQLiteDisk, to target: String, on other: SQLiteDisk
    ) throws {
        let source = try SQLiteConnection(path: path, access: .readOnlyAtRest, disk: disk)
        defer { source.close() }
        try source.copy(to: target, on: other)
        try DatabaseFiles.flush(target)
    }

    /// Throws ``StoreError`` with code ``StoreError/Code/fileExists`` if a file exists at the path.
    package static func checkIsFree(_ path: String) throws(StoreError) {
        guard !DatabaseFiles.exists(path) else {
            throw StoreError(.fileExists, "\(path) exists already. Choose another name, or remove it.")
        }
    }

    /// Renames a complete and flushed file to its final name.
    static func publish(_ partial: String, as path: String) throws {
        guard rename(partial, path) == 0 else {
            throw StoreError(.storage, "renaming \(partial): \(String(cString: strerror(errno)))")
        }
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) { try DatabaseFiles.flush(String(path[...slash])) }
    }

    /// Throws an error if the file cannot be opened as a backup. This function does not check the pages of the file.
    /// Called before the backup is restored.
    package static func checkIsReadable(_ path: String, key: EncryptionKey?) throws(StoreError) {
        try openFile(path, key, isChecked: false).close()
    }

    /// Whether a file is probably encrypted.
    package static func isEncrypted(_ path: String) -> Bool { DatabaseFiles.isLikelyEncrypted(path) }

    /// Checks that a file is an intact backup of a database.
    ///
    /// - Parameter key: The key of the backup; `nil` if it is plain. A plain backup is accepted even if a key is given.
    /// - Returns: The number of its documents that are not deleted.
    package static func check(_ path: String, key: EncryptionKey?) throws(StoreError) -> Int {
        let backup = try openFile(path, key)
        defer { backup.close() }
        do {
            try DatabaseState.checkCounters(on: backup, path: path)
            return try DatabaseState.read(from: backup).0.counters.live
        } catch {
            throw StoreError(wrapping: error, subject: path)
        }
    }

    /// Opens the file of a backup and checks that it is a database.
    ///
    /// The file is not changed and no other file is created, so the file and its folder may be read-only.
    ///
    /// - Parameter isChecked: Whether to check all of its pages.
    static func openFile(
        _ path: String, on disk: SQLiteDisk, isChecked: Bool = true
    ) throws(StoreError) -> SQLiteConnection {
        guard access(path, R_OK) == 0 else {
            throw StoreError(.storage, "\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        for log in ["\(path)-wal", "\(path)-journal"] where !isEmpty(log) {
            throw StoreError(
                .storage,
                "\(path) is not a backup: its log \(log) shows that it is in use or was not closed. "
                    + "Make a backup of the database with `godwit backup`.")
        }
        do {
            let backup = try SQLiteConnection(path: path, access: .readOnlyAtRest, disk: disk)
            try FileFormat.check(backup, path: path)
            // Databases have neither triggers nor views.
            guard try backup.integer("SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')") == 0
            else {
                throw StoreError(
                    .invalidBackup,
                    "\(path) contains triggers or views, which no database of Godwit has. Do not use it.")
            }
            guard try !isChecked || backup.text("PRAGMA integrity_check(1)") == "ok" else {
                throw StoreError(.corrupt, "\(path) is damaged. Use another backup.")
            }
            // The indexes of a backup are made again.
            if isChecked, let fault = try ColumnTypes.fault(in: backup, includesIndexes: false) {
                throw StoreError(.corrupt, "\(path) is damaged: \(fault). Use another backup.")
            }
            return backup
        } catch let error as SQLiteError {
            throw error.explained(path, disk: disk)
        } catch {
            throw StoreError(wrapping: error, subject: path)
        }
    }

    private static func openFile(
        _ path: String, _ key: EncryptionKey?, isChecked: Bool = true
    ) throws(StoreError) -> SQLiteConnection {
        guard let key, DatabaseFiles.isLikelyEncrypted(path) else {
            return try openFile(path, on: .system, isChecked: isChecked)
        }
        do {
            return try openFile(path, on: try Secret.key(key).disk(on: .system), isChecked: isChecked)
        } catch {
            throw StoreError(wrapping: error, subject: path)
        }
    }

    /// Whether a file is absent or empty.
    private static func isEmpty(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_size == 0
    }

    /// Creates the file of a database from a backup.
    static func unpack(
        _ source: String, on origin: SQLiteDisk, to path: String, on disk: SQLiteDisk, identity: DatabaseIdentity,
        kinds: [String: any IndexKind], progress: (_ pages: Int, _ total: Int) -> Void
    ) throws {
        do {
            let backup = try openFile(source, on: origin)
            defer { backup.close() }
            try DatabaseState.checkCounters(on: backup, path: source)
            try DatabaseFiles.create(path)
            // Pages can be copied unchanged if both files reserve the same number of bytes in each page.
            if origin.cipher === disk.cipher {
                try copy(to: path, on: disk, from: { try $0(backup) }, progress: progress)
            } else {
                let total = try DatabaseFiles.byteCount(source) / PageCipher.pageBytes
                // The copy may be longer than the backup, so the reported number of pages is limited to the total.
                try backup.copy(to: path, on: disk, progress: { progress(min($0, total), total) })
                progress(total, total)
            }
        }
        let connection = try SQLiteConnection(path: path, access: .readWrite(creating: false), disk: disk)
        defer { connection.close() }
        try connection.configureWriter(synchronous: .full, cacheBytes: StoreLimits.cacheBytesMin)
        try DatabaseIdentity.beginEpoch(on: connection, as: identity)
        try connection.transaction { try IndexTable(connection).discardDerived(kinds) }
        try connection.checkpoint(.truncate)
    }
}

extension SQLiteConnection {
    /// Runs a query and returns the first column of the first row as a text; empty if there is no row.
    func text(_ sql: StaticString) throws -> String {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.string(0) : ""
    }
}
