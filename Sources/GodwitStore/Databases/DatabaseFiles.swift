//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFiles
import GodwitSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The files of one database: making and removing them.
enum DatabaseFiles {
    /// What a new database begins with.
    enum Origin: Sendable {
        case empty(isPartitioned: Bool)
        case template(DatabaseTemplate)
        /// The file of a backup, by its path, how it can be read, and who is told of the pages that are copied.
        case backup(String, on: SQLiteDisk, progress: @Sendable (_ pages: Int, _ total: Int) -> Void)

        /// Whether what it makes may rest for long before anybody opens it.
        var isTemplate: Bool { if case .template = self { true } else { false } }
    }

    /// Writes the file of a new database under a name that nobody opens.
    static func write(
        _ origin: Origin, to path: String, on disk: SQLiteDisk, identity: DatabaseIdentity, durability: Durability
    ) throws {
        let folder = String(path[..<path.lastIndex(of: "/")!])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try remove(at: path)
        switch origin {
        case .empty(let isPartitioned):
            let image = try FileFormat.image(
                of: identity, isPartitioned: isPartitioned, isEncrypted: disk.cipher != nil)
            try write(image, to: path, on: disk, durability: durability)
        case .template(let template):
            try write(template.image(of: identity), to: path, on: disk, durability: durability)
        case .backup(let source, let origin, let progress):
            try Backup.unpack(
                source, on: origin, to: unpublished(path), on: disk, identity: identity, progress: progress)
        }
    }

    private static func write(
        _ image: [UInt8], to path: String, on disk: SQLiteDisk, durability: Durability
    ) throws {
        var image = image
        try disk.cipher?.seal(&image)
        try write(image, to: unpublished(path), flushes: durability == .full)
    }

    /// Gives the file its name, so that after a crash it is there whole or not at all.
    static func publish(_ path: String, durability: Durability) throws {
        guard rename(unpublished(path), path) == 0 else { throw failure("renaming", unpublished(path)) }
        if durability == .full { try flush(String(path[..<path.lastIndex(of: "/")!])) }
    }

    /// Makes a file anew of which the loss of power left nothing: it was made without a flush.
    static func remakeIfLost(at path: String, on disk: SQLiteDisk) throws {
        var status = stat()
        guard stat(path, &status) != 0 || status.st_size == 0 else { return }
        try write(.empty(isPartitioned: false), to: path, on: disk, identity: .random(), durability: .full)
        try publish(path, durability: .full)
    }

    private static func unpublished(_ path: String) -> String { path + ".new" }

    /// Removes a database's file and its log; those that are not there do not matter.
    static func remove(at path: String) throws {
        FileConversion.abandon(path)
        for suffix in ["", "-wal", "-shm", ".new", ".new-wal", ".new-shm", ".new-journal"] {
            try removeFile(path + suffix)
        }
    }

    /// Removes one file; that it is not there does not matter.
    static func removeFile(_ path: String) throws(StoreError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("removing", path) }
    }

    static func write(_ bytes: [UInt8], to path: String, flushes: Bool) throws {
        let file = try open(path, O_WRONLY | O_CREAT | O_TRUNC, "creating")
        try attempt("writing", path) { () throws(SystemError) in try file.write(bytes) }
        if flushes { try attempt("flushing", path) { () throws(SystemError) in try file.flush() } }
    }

    /// Opens a file.
    ///
    /// - Parameter operation: What it is opened for, for an error.
    static func open(_ path: String, _ flags: Int32, _ operation: String) throws(StoreError) -> SystemFile {
        try attempt(operation, path) { () throws(SystemError) in try SystemFile(path, flags) }
    }

    /// Does something to a file, with an error that names both.
    static func attempt<Result>(
        _ operation: String, _ path: String, _ body: () throws(SystemError) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw failure(operation, path, error)
        }
    }

    /// The size of a file. (To open and close one would take this process's locks off it.)
    static func byteCount(_ path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure("reading", path) }
        return Int(status.st_size)
    }

    /// The folder of a file.
    static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

    /// Whether there is a file.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Makes an empty file that is its owner's alone; SQLite would let others read it.
    static func create(_ path: String) throws(StoreError) {
        _ = try open(path, O_WRONLY | O_CREAT | O_EXCL, "creating")
    }

    /// Makes a new name in a folder durable, or what was written to a file.
    static func flush(_ path: String) throws {
        let file = try open(path, O_RDONLY, "opening")
        try attempt("flushing", path) { () throws(SystemError) in try file.flush() }
    }

    /// Whether a file can be an encrypted database: whole pages that do not begin as a plain one does, damaged or not.
    static func isLikelyEncrypted(_ path: String) -> Bool {
        guard let file = try? OpenFile(reading: path, as: "the database"), let count = try? file.byteCount(),
            count > 0, count % PageCipher.pageBytes == 0, let head = try? file.read(unusedInPlain.upperBound)
        else { return false }
        return !head.starts(with: plainHead) && head[unusedInPlain].contains { $0 != 0 }
    }

    /// What a plain database begins with, and what is always zero there. (SQLite, "Database File Format", 1.3)
    private static let plainHead = Array("SQLite format 3\0".utf8)
    private static let unusedInPlain = 72..<92

    /// - Parameter error: What the system said; to the last call of this thread by default.
    static func failure(_ operation: String, _ path: String, _ error: SystemError = .last) -> StoreError {
        StoreError(error == .diskFull ? .diskFull : .storage, "\(operation) \(path): \(error)")
    }
}
