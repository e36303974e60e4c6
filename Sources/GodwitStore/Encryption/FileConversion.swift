//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// A file at rest is encrypted, decrypted or encrypted anew by writing it a second time beside itself and giving the new
// one its name: after a crash at any instant there is the old file or the new one, whole. Encrypting in place, page by
// page, would need no room, and is impossible: an encrypted page holds 80 bytes less. So everything is copied by SQLite's
// `VACUUM INTO`, which goes through the pages of tables in order and holds nothing whole; after a crash it begins anew. From
// one key to another pages are copied as they are, and go on where they were (`PageConversion`).

/// Writes a database's file anew under another key, or none.
enum FileConversion {
    /// What a file is called while it is written.
    private static let suffix = ".converting"

    /// Removes what a crash left of a conversion; it may be plain.
    static func abandon(_ path: String) {
        let note = ConversionNote.suffix
        for file in [note, note + ".partial", "", "-journal", "-wal", "-shm"] { unlink(path + suffix + file) }
    }

    /// Puts a file on another disk, under the same path. Nobody has it open.
    ///
    /// - Parameter progress: Called now and then with the pages that are written.
    /// - Returns: Whether there was anything to do: not when the file answers to the new key already.
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
        // Its name is gone for good before the new file has its own.
        if let slash = path.lastIndex(of: "/") { try DatabaseFiles.flush(String(path[...slash])) }
        try Backup.publish(path + suffix, as: path)
        return true
    }

    /// Expects that the log of a file that was closed is gone: it would be taken for the new file's.
    private static func checkHasNoLog(_ path: String) throws(StoreError) {
        let log = path + "-wal"
        guard DatabaseFiles.exists(log) else { return }
        throw StoreError(.storage, "\(log) could not be removed, so \(path) was left as it is. Try again.")
    }

    /// Writes the file of a database anew beside it, and flushes it. When it fails nothing is left of that.
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

    /// Whether a file is a database under a key, or without.
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
    /// Writes the whole database anew, as ``copy(to:on:step:)`` does.
    ///
    /// - Parameter progress: Called now and then with the pages that are written.
    func copy(to path: String, on disk: SQLiteDisk, progress: (_ pages: Int) -> Void) throws(SQLiteError) {
        var told = 0
        try copy(to: path, on: disk) {
            let pages = ((try? DatabaseFiles.byteCount(path)) ?? 0) / PageCipher.pageBytes
            guard pages - told >= SQLiteConnection.pagesPerProgress else { return }
            progress(pages)
            told = pages
        }
    }

    private static let pagesPerProgress = 1_024
}

extension SQLiteError {
    /// The store's error for a file that could not be opened: whether it is one that wants a key, or somebody else's.
    func explained(_ path: String, disk: SQLiteDisk) -> StoreError {
        if isBusy {
            return StoreError(
                .fileInUse, "\(path) is open in another program, which could damage it. Close that, then try again.",
                cause: self)
        }
        guard isNoDatabase, disk.cipher == nil, DatabaseFiles.isLikelyEncrypted(path) else {
            return StoreError(wrapping: self, subject: path)
        }
        return StoreError(
            .encrypted, "\(path) is encrypted, or damaged, or no database at all. Give the key or passphrase.",
            cause: self)
    }
}
