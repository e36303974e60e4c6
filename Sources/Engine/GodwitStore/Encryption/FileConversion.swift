//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

// A closed file is encrypted, decrypted or re-encrypted by writing a new file next to it and renaming the new file.
// After a crash, either the complete old file or the complete new file exists. Encryption in place, page by page, is
// not possible, because an encrypted page has 80 bytes less space for data than a plain page. To encrypt or decrypt a
// file, SQLite's `VACUUM INTO` copies it. `VACUUM INTO` reads the pages of tables in order and needs little memory, but
// begins again after a crash. To change a key, the pages are copied one by one, and the copy continues after a crash
// (`PageConversion`).

/// Writes a database's file again with another key, or without encryption.
enum FileConversion {
    /// The suffix of the new file while it is written.
    private static let suffix = ".converting"

    /// Removes the files of an interrupted conversion. These files may be unencrypted.
    static func abandon(_ path: String) {
        let noteSuffix = ConversionNote.suffix
        for file in [noteSuffix, noteSuffix + ".partial", "", "-journal", "-wal", "-shm"] {
            unlink(path + suffix + file)
        }
    }

    /// Converts a file from one disk interface to another, under the same path. The file must not be open.
    ///
    /// - Parameter progress: Called repeatedly with the number of written pages.
    /// - Returns: `false` if the file already matches the new key, so that nothing was done.
    @discardableResult
    static func convert(
        _ path: String, from old: SQLiteDisk, to new: SQLiteDisk, progress: (_ pages: Int) -> Void = { _ in }
    ) throws -> Bool {
        do {
            if old.cipher != nil, new.cipher != nil {
                try PageConversion(path: path, old: old, target: path + suffix, new: new).run(progress: progress)
            } else {
                try rewrite(path, on: old, to: path + suffix, on: new, progress: progress)
            }
        } catch let error as SQLiteError where error.isPlain || error.isWrongKey || error.isNoDatabase {
            guard (try? answers(path, on: new)) == true else { throw error.explained(path, disk: old) }
            abandon(path)
            return false
        }
        defer { abandon(path) }
        try checkHasNoLog(path)
        // The folder is flushed, so that the removal of the old log is durable before the new file gets the name of the
        // old file.
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) { try DatabaseFiles.flush(String(path[...slash])) }
        try Backup.publish(path + suffix, as: path)
        return true
    }

    /// Throws if the log of a closed file still exists, because SQLite would apply it to the new file.
    private static func checkHasNoLog(_ path: String) throws(StoreError) {
        let log = path + "-wal"
        guard DatabaseFiles.exists(log) else { return }
        throw StoreError(.storage, "\(log) could not be removed, so \(path) was not changed. Try again.")
    }

    /// Writes the new file of a database and flushes it. If it fails, removes the new file.
    private static func rewrite(
        _ path: String, on old: SQLiteDisk, to target: String, on new: SQLiteDisk, progress: (Int) -> Void
    ) throws {
        let source = try SQLiteConnection(path: path, access: .readWrite(creating: false), disk: old)
        defer { source.close() }
        try source.configureWriter(synchronous: .full, cacheBytes: StoreLimits.cacheBytesMin)
        abandon(path)
        do {
            try copy(source, to: target, on: new, progress: progress)
        } catch {
            abandon(path)
            throw error
        }
    }

    private static func copy(
        _ source: SQLiteConnection, to target: String, on new: SQLiteDisk, progress: (Int) -> Void
    ) throws {
        try DatabaseFiles.create(target)
        try source.copy(to: target, on: new, progress: progress)
        try DatabaseFiles.flush(target)
    }

    /// Whether a file is a database that matches the key of a disk interface.
    static func answers(_ path: String, on disk: SQLiteDisk) throws -> Bool {
        do {
            let connection = try SQLiteConnection(path: path, access: .readOnly, disk: disk)
            defer { connection.close() }
            return try connection.integer("SELECT count(*) FROM sqlite_schema") > 0
        } catch let error as SQLiteError where error.isPlain || error.isWrongKey || error.isNoDatabase {
            return false
        } catch {
            throw StoreError(wrapping: error, subject: path)
        }
    }
}

extension SQLiteConnection {
    /// Writes the complete database to a new file, as ``copy(to:on:step:)`` does.
    ///
    /// - Parameter progress: Called repeatedly with the number of written pages.
    func copy(to path: String, on disk: SQLiteDisk, progress: (_ pages: Int) -> Void) throws(SQLiteError) {
        var reportedPages = 0
        try copy(to: path, on: disk) {
            let pages = ((try? DatabaseFiles.byteCount(path)) ?? 0) / PageCipher.pageBytes
            guard pages - reportedPages >= SQLiteConnection.pagesPerProgress else { return }
            progress(pages)
            reportedPages = pages
        }
    }

    private static let pagesPerProgress = 1_024
}

extension SQLiteError {
    /// Returns the store's error for a file that could not be opened. The error says whether the file is in use, needs
    /// a key, or is not a database.
    func explained(_ path: String, disk: SQLiteDisk) -> StoreError {
        if isBusy {
            return StoreError(
                .fileInUse,
                "\(path) is open in another program, which could damage it. Close that program, then try again.",
                cause: self)
        }
        guard isNoDatabase, disk.cipher == nil, DatabaseFiles.isLikelyEncrypted(path) else {
            return StoreError(wrapping: self, subject: path)
        }
        return StoreError(
            .encrypted,
            "\(path) is encrypted, damaged, or not a database. If it is encrypted, specify the key or passphrase.",
            cause: self)
    }
}
