//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitSQLite

/// A SQLite file of a data directory that is not a Godwit database: the list of databases, or the catalogue of a server
/// module.
///
/// All changes go through one ``GroupCommit``, which runs the changes of all waiting threads in one transaction and
/// flushes the disk once. Reads use a separate connection, so they do not wait for a flush. This connection runs one
/// read at a time. Reads and changes block for the disk, so call them only on the blocking pool.
package final class CatalogueFile: Sendable {
    /// The path of the file.
    package let path: String

    let writes: GroupCommit
    private let reader: ReopeningConnection
    private let disk: SQLiteDisk

    /// The page cache of each connection, in bytes.
    private static let cacheBytes = 2 << 20

    /// Opens a file, and creates it if it is absent.
    ///
    /// - Parameters:
    ///   - version: The version of the schema, stored as SQLite's `user_version`.
    ///   - schema: Statements that create the tables and indexes that are absent.
    ///   - check: Checks the file before the schema is applied. It receives the version of the file, which is 0 for a
    ///     new file.
    /// - Throws: The error that `check` throws, or ``StoreError`` with one of these codes:
    ///   - ``StoreError/Code/formatTooNew`` if a newer version wrote the file.
    ///   - ``StoreError/Code/encrypted`` or ``StoreError/Code/wrongKey`` if the key does not match.
    ///   - ``StoreError/Code/fileInUse`` if another program has the file open.
    package init(
        path: String, version: Int, schema: String, disk: SQLiteDisk,
        check: (_ connection: SQLiteConnection, _ fileVersion: Int) throws -> Void = { _, _ in }
    ) throws {
        self.path = path
        self.disk = disk
        let connection = try CatalogueFile.open(path, on: disk)
        let fileVersion = try connection.integer("PRAGMA user_version")
        guard fileVersion <= version else {
            throw StoreError(
                .formatTooNew, "\(path) was written by a newer version of Godwit. Open the directory with that version."
            )
        }
        try check(connection, fileVersion)
        if fileVersion < version {
            // All statements are in one transaction. If they were not, a process that is killed could leave a file that
            // contains tables but no version.
            try connection.execute("BEGIN IMMEDIATE; \(schema); PRAGMA user_version = \(version); COMMIT")
        } else {
            // These statements write nothing if the schema is already complete. Therefore, a server can start on a full
            // disk.
            try connection.execute(schema)
        }
        writes = GroupCommit(ReopeningConnection(connection) { try CatalogueFile.open(path, on: disk) })
        reader = ReopeningConnection(try CatalogueFile.reader(path, on: disk)) {
            try CatalogueFile.reader(path, on: disk)
        }
    }

    /// Opens a file that another process writes.
    ///
    /// - Throws: ``StoreError`` with one of these codes:
    ///   - ``StoreError/Code/formatTooNew`` or ``StoreError/Code/corrupt`` if the file has another version.
    ///   - ``StoreError/Code/encrypted`` or ``StoreError/Code/wrongKey`` if the key does not match.
    ///   - ``StoreError/Code/directoryInUse`` if a program has the file open and does not share it.
    init(reading path: String, version: Int, disk: SQLiteDisk) throws {
        self.path = path
        self.disk = disk
        writes = GroupCommit(ReopeningConnection { throw StoreError.readOnly })
        do {
            let connection = try CatalogueFile.reader(path, on: disk)
            let fileVersion = try connection.integer("PRAGMA user_version")
            guard fileVersion > 0 else { throw StoreError.nothingToRead(path) }
            guard fileVersion == version else {
                throw StoreError(
                    fileVersion > version ? .formatTooNew : .corrupt,
                    "\(path) has version \(fileVersion), and this program reads version \(version). Open the directory "
                        + "once with the program that writes it.")
            }
            reader = ReopeningConnection(connection) { try CatalogueFile.reader(path, on: disk) }
        } catch let error as SQLiteError where error.isBusy {
            throw StoreError(
                .directoryInUse,
                "\(path) is open in a program that does not share it. Open the directory there with the option "
                    + "`isShared`.", cause: error)
        } catch let error as SQLiteError {
            throw error.explained(path, disk: disk)
        }
    }

    private static func reader(_ path: String, on disk: SQLiteDisk) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: .concurrentReader, disk: disk)
        try connection.configureReader(cacheBytes: CatalogueFile.cacheBytes)
        return connection
    }

    private static func open(_ path: String, on disk: SQLiteDisk) throws -> SQLiteConnection {
        FileConversion.abandon(path)
        if !DatabaseFiles.exists(path) { try DatabaseFiles.create(path) }
        do {
            let connection = try SQLiteConnection(path: path, access: .readWrite(creating: false), disk: disk)
            try connection.configureWriter(synchronous: .full, cacheBytes: cacheBytes)
            return connection
        } catch {
            throw error.explained(path, disk: disk)
        }
    }

    /// Runs `body` in a transaction and returns the result of `body` when the transaction is durable. The transaction
    /// may also contain the changes of other threads.
    ///
    /// - Throws: The error that `body` throws, after which only the changes of `body` are rolled back; the error of the
    ///   commit; or ``StoreError`` with code ``StoreError/Code/closed`` after ``close()``.
    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) throws -> Result {
        let result = Mutex<Result?>(nil)
        try writes.perform { connection in
            let value = try body(connection)
            result.withLock { $0 = value }
        }
        return result.withLock { $0 }!
    }

    /// Runs `body` with the reading connection. `body` must not leave a statement or a transaction open.
    package func read<Result>(_ body: (SQLiteConnection) throws -> sending Result) throws -> sending Result {
        try reader.withLock { try body($0) }
    }

    /// Runs `body` with a separate connection. `body` sees one state of the file, even if other threads write to the
    /// file in the meantime.
    package func readSnapshot<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = try CatalogueFile.reader(path, on: disk)
        defer { connection.close() }
        connection.spendCurrentBudget()
        return try connection.read { try body(connection) }
    }

    /// Copies one state of the file to a new file with the same encryption, and flushes the new file. Fails if the new
    /// file exists already.
    ///
    /// - Returns: The copy, open for reading.
    package func copy(to path: String) throws -> CatalogueCopy {
        try DatabaseFiles.create(path)
        try readSnapshot { source in
            try Backup.copy(to: path, on: disk, from: { try $0(source) }, progress: { _, _ in })
        }
        try DatabaseFiles.flush(path)
        return CatalogueCopy(try SQLiteConnection(path: path, access: .readOnlyAtRest, disk: disk))
    }

    /// Commits the changes that wait for the next commit, and closes the file.
    package func close() {
        reader.close()
        writes.close()
    }

    /// Commits the changes that wait for the next commit, and closes the file until ``resume()``.
    func suspend() {
        reader.suspend()
        writes.suspend()
    }

    func resume() {
        reader.resume()
        writes.resume()
    }

    /// SQLite's number for the state that the reading connection sees. It changes with each commit of another process.
    func version() throws -> Int { try read { try $0.integer("PRAGMA data_version") } }
}

/// A catalogue that can be read: the file that a running server uses, or a copy of such a file. Reading blocks for the
/// disk.
package protocol ReadableCatalogue: Sendable {
    /// Runs `body` with the reading connection. `body` must not leave a statement or a transaction open.
    func read<Result>(_ body: (SQLiteConnection) throws -> sending Result) throws -> sending Result

    /// Runs `body` on one state of the file.
    func readSnapshot<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result
}

extension CatalogueFile: ReadableCatalogue {}

/// A copy of a catalogue, open for reading. Reading blocks for the disk.
package final class CatalogueCopy: ReadableCatalogue {
    private let connection: Mutex<SQLiteConnection>

    init(_ connection: SQLiteConnection) { self.connection = Mutex(connection) }

    /// Opens the copy in a backup. The file is not changed and no other file is created. A plain copy is read without
    /// decryption, even if the directory of `folder` is encrypted.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if the copy is missing, or another error if the
    ///   copy cannot be opened.
    package convenience init(inBackup folder: ModuleFolder) throws {
        let path = folder.cataloguePath
        guard DatabaseFiles.exists(path) else {
            throw StoreError(.corrupt, "\(path) is missing. Use another backup.")
        }
        let disk = DatabaseFiles.isLikelyEncrypted(path) ? folder.disk : folder.disk.plain
        do {
            self.init(try SQLiteConnection(path: path, access: .readOnlyAtRest, disk: disk))
        } catch {
            throw error.explained(path, disk: disk)
        }
    }

    /// Runs `body` with the connection. `body` must not leave a statement or a transaction open.
    package func read<Result>(_ body: (SQLiteConnection) throws -> sending Result) throws -> sending Result {
        try connection.withLock { try body($0) }
    }

    /// Runs `body` with the connection.
    package func readSnapshot<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try connection.withLock { try body($0) }
    }

    /// Closes the connection. Later statements on it fail.
    package func close() { connection.withLock { $0.close() } }
}
