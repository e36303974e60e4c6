//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitSQLite

/// Creates, checks and removes the files of databases.
package enum DatabaseFiles {
    /// The initial content of a new database.
    enum Origin: Sendable {
        case empty(isPartitioned: Bool)
        case template(DatabaseTemplate)
        /// A backup: its path, the disk interface that can read it, the kinds of indexes that it may contain, and a
        /// callback for the number of copied pages.
        case backup(
            String, on: SQLiteDisk, kinds: [String: any IndexKind],
            progress: @Sendable (_ pages: Int, _ total: Int) -> Void)

        /// Whether the origin is a template. Databases that are created from a template are marked clean, because they
        /// may stay unused for a long time.
        var isTemplate: Bool { if case .template = self { true } else { false } }
    }

    /// Writes a new database to a temporary file in the folder of `path`. Creates the folder if it is absent, and
    /// removes the files of a former database at `path`. The caller then calls ``publish(_:durability:)``, which
    /// renames the temporary file to `path`.
    static func write(
        _ origin: Origin, to path: String, on disk: SQLiteDisk, identity: DatabaseIdentity, durability: Durability
    ) throws {
        let folder = String(path[..<path.utf8.lastIndex(of: UInt8(ascii: "/"))!])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try remove(at: path)
        switch origin {
        case .empty(let isPartitioned):
            let image = try FileFormat.image(
                of: identity, isPartitioned: isPartitioned, isEncrypted: disk.cipher != nil)
            try write(image, to: path, on: disk, durability: durability)
        case .template(let template):
            try write(template.image(of: identity), to: path, on: disk, durability: durability)
        case .backup(let source, let origin, let kinds, let progress):
            try Backup.unpack(
                source, on: origin, to: temporaryPath(path), on: disk, identity: identity, kinds: kinds,
                progress: progress)
        }
    }

    private static func write(
        _ image: [UInt8], to path: String, on disk: SQLiteDisk, durability: Durability
    ) throws {
        var image = image
        try disk.cipher?.seal(&image)
        try write(image, to: temporaryPath(path), flushes: durability == .full)
    }

    /// Renames the temporary file to its final name, so that after a crash of the process either the complete file
    /// exists or no file exists. With the durability `full`, this is also so after a power loss. With a lower
    /// durability, a power loss can leave an empty file.
    static func publish(_ path: String, durability: Durability) throws {
        guard rename(temporaryPath(path), path) == 0 else { throw failure("renaming", temporaryPath(path)) }
        if durability == .full { try flush(String(path[..<path.utf8.lastIndex(of: UInt8(ascii: "/"))!])) }
    }

    /// Creates an empty database with a new identity if the file at `path` is absent or empty. After a power loss, a
    /// file that was created without a flush can be absent or empty.
    static func remakeIfLost(at path: String, on disk: SQLiteDisk) throws {
        var status = stat()
        guard stat(path, &status) != 0 || status.st_size == 0 else { return }
        try write(.empty(isPartitioned: false), to: path, on: disk, identity: .random(), durability: .full)
        try publish(path, durability: .full)
    }

    private static func temporaryPath(_ path: String) -> String { path + ".new" }

    /// Removes a database's file, its log and its temporary files. Ignores absent files.
    static func remove(at path: String) throws {
        FileConversion.abandon(path)
        for suffix in ["", "-wal", "-shm", ".new", ".new-wal", ".new-shm", ".new-journal"] {
            try removeFile(path + suffix)
        }
    }

    /// Removes one file. Ignores an absent file.
    package static func removeFile(_ path: String) throws(StoreError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("removing", path) }
    }

    static func write(_ bytes: [UInt8], to path: String, flushes: Bool) throws {
        let file = try open(path, O_WRONLY | O_CREAT | O_TRUNC, "creating")
        try attempt("writing", path) { () throws(SystemError) in try file.write(bytes) }
        if flushes { try attempt("flushing", path) { () throws(SystemError) in try file.flush() } }
    }

    /// Opens a file.
    ///
    /// - Parameter operation: The purpose of the call, for the error message.
    static func open(_ path: String, _ flags: Int32, _ operation: String) throws(StoreError) -> SystemFile {
        try attempt(operation, path) { () throws(SystemError) in try SystemFile(path, flags) }
    }

    /// Runs `body` and converts its error to an error that names the operation and the path.
    static func attempt<Result>(
        _ operation: String, _ path: String, _ body: () throws(SystemError) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw failure(operation, path, error)
        }
    }

    /// The size of a file, in bytes. The file is not opened, because closing it would release this process's locks on
    /// it.
    package static func byteCount(_ path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure("reading", path) }
        return Int(status.st_size)
    }

    /// The time of the last change of a file's status or content, in milliseconds since 1970; `nil` for an absent file.
    package static func changeTimeMilliseconds(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let time = status.statusChangeTime
        return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
    }

    /// The folder of a file.
    package static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    }

    /// Whether a file exists.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether a path is a folder.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates an empty file that only its owner can read and write. Fails if the file exists. SQLite does not create
    /// the file, because it would let other users read it.
    static func create(_ path: String) throws(StoreError) {
        _ = try open(path, O_WRONLY | O_CREAT | O_EXCL, "creating")
    }

    /// Flushes a file, or a folder after a file in it was created or renamed.
    package static func flush(_ path: String) throws {
        let file = try open(path, O_RDONLY, "opening")
        try attempt("flushing", path) { () throws(SystemError) in try file.flush() }
    }

    /// Whether a file may be an encrypted database. It may be one if it consists of complete pages, does not begin like
    /// a plain database, and has other bytes where a plain database has zeros. The result is `false` if the file cannot
    /// be read.
    static func isLikelyEncrypted(_ path: String) -> Bool {
        guard let file = try? OpenFile(reading: path, as: "the database"), let count = try? file.byteCount(),
            count > 0, count % PageCipher.pageBytes == 0, let head = try? file.read(unusedInPlain.upperBound)
        else { return false }
        return !head.starts(with: plainHead) && head[unusedInPlain].contains { $0 != 0 }
    }

    /// The first bytes of a plain database. (SQLite, "Database File Format", 1.3)
    private static let plainHead = Array("SQLite format 3\0".utf8)

    /// The range of bytes that is always zero in a plain database.
    private static let unusedInPlain = 72..<92

    /// Creates an error for a failed file operation.
    ///
    /// - Parameter error: The system's error; by default the error of this thread's last system call.
    static func failure(_ operation: String, _ path: String, _ error: SystemError = .last) -> StoreError {
        StoreError(wrapping: error, subject: "\(operation) \(path)")
    }
}
