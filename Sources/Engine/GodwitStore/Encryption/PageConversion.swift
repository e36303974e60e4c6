//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite

// When a file gets another key, each page keeps its position in the file. Therefore, the pages can be copied in order,
// and a partial copy can be continued after the last flushed page. This is correct only if the source file has not
// changed since these pages were copied. A file next to the copy, the note, records the state of the source and the
// progress of the copy. The note is used only if all three conditions are met:
//
//   - the source is the same file and unchanged: its device, inode, length, time of the last write, and time of the
//     last status change are those in the note (programs cannot set back the last of these times)
//   - the copy is the one that the note describes: it begins with the same salt, which is random
//   - the copy matches the requested new key
//
// If a condition is not met, the copy begins again, which only costs time. (Comparing the partial copy with the source
// page by page would need no note, but would take as long as copying the file again.)

/// Copies a file from one key to another, page by page, and continues after an interruption.
struct PageConversion {
    /// The source file.
    let path: String
    let old: SQLiteDisk
    /// The path of the copy.
    let target: String
    let new: SQLiteDisk

    /// The number of pages that are copied before they are flushed and recorded: 16 MB. A crash loses at most these
    /// pages.
    static let pagesPerFlush = 4_096

    /// Copies the remaining pages. When it returns, the copy is on disk. If an error is thrown, the copy is removed. It
    /// remains only if the source could not be opened.
    ///
    /// - Parameter progress: Called after each flush with the number of copied pages.
    func run(progress: (_ pages: Int) -> Void) throws {
        let source = try SQLiteConnection(path: path, access: .readWrite(creating: false), disk: old)
        defer { source.close() }
        try source.configureWriter(synchronous: .full, cacheBytes: StoreLimits.cacheBytesMin)
        do {
            // After the checkpoint, the file contains all data. The open transaction prevents writes until the
            // connection is closed.
            let isCheckpointed = try source.checkpoint(.truncate)
            try source.execute("BEGIN IMMEDIATE")
            guard isCheckpointed else {
                throw StoreError(.fileInUse, "\(path) is in use. Try again when no program has it open.")
            }
            try copy(source, progress: progress)
        } catch {
            FileConversion.abandon(path)
            throw error
        }
    }

    private func copy(_ source: SQLiteConnection, progress: (Int) -> Void) throws {
        let identity = try FileIdentity(of: path)
        let total = try source.integer("PRAGMA page_count")
        var (copy, copiedPages) = try resume(identity) ?? (createCopy(), pages: 0)
        defer { copy.close() }
        while copiedPages < total {
            let next = min(copiedPages + PageConversion.pagesPerFlush, total)
            try copy.takePages(copiedPages + 1...next, of: source)
            copiedPages = next
            let salt = try ConversionNote.salt(of: target)
            try ConversionNote(source: identity, salt: salt, pages: copiedPages).write(beside: target)
            progress(copiedPages)
        }
    }

    /// Creates an empty file for the copy.
    private func createCopy() throws -> SQLiteConnection {
        FileConversion.abandon(path)
        try DatabaseFiles.create(target)
        return try SQLiteConnection(path: target, access: .readWrite(creating: false), disk: new)
    }

    /// The partial copy of an interrupted conversion; `nil` if it cannot be continued.
    private func resume(_ identity: FileIdentity) throws -> (SQLiteConnection, pages: Int)? {
        guard let note = ConversionNote(beside: target), note.source == identity,
            try DatabaseFiles.byteCount(target) >= note.pages.multipliedSaturated(by: PageCipher.pageBytes),
            try ConversionNote.salt(of: target).isIdenticalText(to: note.salt)
        else { return nil }
        do {
            return (try SQLiteConnection(path: target, access: .readWrite(creating: false), disk: new), note.pages)
        } catch {
            guard error.isWrongKey else { throw error }
            return nil
        }
    }
}

/// A fingerprint that identifies an unchanged file: its device, inode, length and times.
struct FileIdentity: Equatable {
    let text: String

    init(text: String) { self.text = text }

    init(of path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw StoreError(.storage, "reading \(path): \(String(cString: strerror(errno)))")
        }
        let times = [status.contentChangeTime, status.statusChangeTime]
        let numbers = ["\(status.st_dev)", "\(status.st_ino)", "\(status.st_size)"]
        text = (numbers + times.map { "\($0.tv_sec).\($0.tv_nsec)" }).joined(separator: " ")
    }
}

/// The progress of an unfinished copy, stored next to the copy in a file of three lines.
struct ConversionNote {
    /// The state of the source file.
    let source: FileIdentity
    /// The first 16 bytes of the copy, in hexadecimal digits.
    let salt: String
    /// The number of pages of the copy that are on disk.
    let pages: Int

    static let suffix = "-pages"

    private static let bytesMax = 1_024
    private static let saltBytes = 16

    init(source: FileIdentity, salt: String, pages: Int) {
        (self.source, self.salt, self.pages) = (source, salt, pages)
    }

    /// Reads the note of a copy.
    ///
    /// - Returns: `nil` if it is absent or invalid.
    init?(beside copy: String) {
        guard let file = try? OpenFile(reading: copy + ConversionNote.suffix, as: "the note"),
            let text = try? file.read(ConversionNote.bytesMax)
        else { return nil }
        let lines = String(decoding: text, as: UTF8.self).pieces(at: "\n")
        guard lines.count == 3, let pages = Int(lines[2]), pages > 0 else { return nil }
        self.init(source: FileIdentity(text: String(lines[0])), salt: String(lines[1]), pages: pages)
    }

    func write(beside copy: String) throws {
        let path = copy + ConversionNote.suffix
        let partial = path + ".partial"
        // The previous note remains until this note is complete.
        try DatabaseFiles.write(Array("\(source.text)\n\(salt)\n\(pages)\n".utf8), to: partial, flushes: true)
        try Backup.publish(partial, as: path)
    }

    static func salt(of copy: String) throws -> String {
        try OpenFile(reading: copy, as: "the copy").read(saltBytes).hexadecimal
    }
}
