//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// From one key to another pages keep their places, so they can be copied in order, and what a crash left of the copy is as
// good as it was: it goes on behind the last page that was flushed. That is right only while the file that is copied is the
// one that it was. A note beside the copy says which one that is, and is believed only if all of it still holds:
//
//   - the file that is copied is the same one, and nobody wrote to it: its place on the disk, its length, and the times of its
//     last write and change, of which the system sets the second and no program can turn it back
//   - the copy is the one that the note is of: its salt, which is random
//   - the copy answers to the key that is wanted now
//
// Otherwise the copy begins anew, and nothing is lost but time. (To compare what is there with the file, page by page, would
// need no note, and takes as long as to copy it again.)

/// A file on its way from one key to another, page by page; what was cut short goes on where it was.
struct PageConversion {
    /// The file that is copied.
    let path: String
    let old: SQLiteDisk
    /// The copy.
    let target: String
    let new: SQLiteDisk

    /// Pages that are copied before they are flushed and noted: 16 MB. A crash costs no more.
    static let pagesPerFlush = 4_096

    /// Copies what is not copied yet. The copy is on disk then. When it fails nothing is left of it.
    ///
    /// - Parameter progress: Called after each flush with the pages that are copied.
    func run(progress: (_ pages: Int) -> Void) throws {
        let source = try SQLiteConnection(path: path, access: .readWrite(creating: false), disk: old)
        defer { source.close() }
        try source.configureWriter(synchronous: .full, cacheBytes: StoreLimits.cacheBytesMin)
        do {
            // All is in the file then, and nobody else writes until the connection is closed.
            let isMoved = try source.checkpoint(.truncate)
            try source.execute("BEGIN IMMEDIATE")
            guard isMoved else { throw StoreError(.fileInUse, "\(path) is in use. Try again when nobody has it open.") }
            try copy(source, progress: progress)
        } catch {
            FileConversion.abandon(path)
            throw error
        }
    }

    private func copy(_ source: SQLiteConnection, progress: (Int) -> Void) throws {
        let identity = try FileIdentity(of: path)
        let total = try source.integer("PRAGMA page_count")
        var (copy, done) = try resume(identity) ?? (begin(), pages: 0)
        defer { copy.close() }
        while done < total {
            let next = min(done + PageConversion.pagesPerFlush, total)
            try copy.takePages(done + 1...next, of: source)
            done = next
            let salt = try ConversionNote.salt(of: target)
            try ConversionNote(source: identity, salt: salt, pages: done).write(beside: target)
            progress(done)
        }
    }

    /// An empty file to copy to.
    private func begin() throws -> SQLiteConnection {
        FileConversion.abandon(path)
        try DatabaseFiles.create(target)
        return try SQLiteConnection(path: target, access: .readWrite(creating: false), disk: new)
    }

    /// What a crash left, if it can be gone on with.
    private func resume(_ identity: FileIdentity) throws -> (SQLiteConnection, pages: Int)? {
        guard let note = ConversionNote(beside: target), note.source == identity,
            try DatabaseFiles.byteCount(target) >= note.pages * PageCipher.pageBytes,
            try ConversionNote.salt(of: target) == note.salt
        else { return nil }
        do {
            return (try SQLiteConnection(path: target, access: .readWrite(creating: false), disk: new), note.pages)
        } catch {
            guard error.isWrongKey else { throw error }
            return nil
        }
    }
}

/// Tells a file that nobody wrote to from any other.
struct FileIdentity: Equatable {
    let text: String

    init(text: String) { self.text = text }

    init(of path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw StoreError(.storage, "reading \(path): \(String(cString: strerror(errno)))")
        }
        #if canImport(Darwin)
            let times = [status.st_mtimespec, status.st_ctimespec]
        #else
            let times = [status.st_mtim, status.st_ctim]
        #endif
        let numbers = ["\(status.st_dev)", "\(status.st_ino)", "\(status.st_size)"]
        text = (numbers + times.map { "\($0.tv_sec).\($0.tv_nsec)" }).joined(separator: " ")
    }
}

/// How far a copy is that was not finished: a file of three lines beside it.
struct ConversionNote {
    /// The file that is copied, as it was.
    let source: FileIdentity
    /// The first bytes of the copy, in hexadecimal digits.
    let salt: String
    /// The pages of the copy that are on disk.
    let pages: Int

    static let suffix = "-pages"

    private static let bytesMax = 1_024
    private static let saltBytes = 16

    init(source: FileIdentity, salt: String, pages: Int) {
        (self.source, self.salt, self.pages) = (source, salt, pages)
    }

    /// - Returns: `nil` when there is none.
    init?(beside copy: String) {
        guard let file = try? OpenFile(reading: copy + ConversionNote.suffix, as: "the note"),
            let text = try? file.read(ConversionNote.bytesMax)
        else { return nil }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        guard lines.count == 3, let pages = Int(lines[2]), pages > 0 else { return nil }
        self.init(source: FileIdentity(text: String(lines[0])), salt: String(lines[1]), pages: pages)
    }

    func write(beside copy: String) throws {
        let path = copy + ConversionNote.suffix
        let partial = path + ".partial"
        // The last note stays until this one is whole.
        try DatabaseFiles.write(Array("\(source.text)\n\(salt)\n\(pages)\n".utf8), to: partial, flushes: true)
        try Backup.publish(partial, as: path)
    }

    static func salt(of copy: String) throws -> String {
        try OpenFile(reading: copy, as: "the copy").read(saltBytes).hexadecimal
    }
}
