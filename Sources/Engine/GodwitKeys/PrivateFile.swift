//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Reads and writes files that contain a secret. The content is read into memory that is wiped when it is deallocated.
/// Only the owner of a written file can read it. The file is on disk when the call that writes it returns.
package struct PrivateFile: ~Copyable {
    private let path: String
    private let file: SystemFile
    /// Whether users other than the owner can read or write the file.
    package let isOpenToOthers: Bool

    /// Opens a file for reading.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/noKey`` if the file is absent, ``KeyError/Code/damaged`` if the path is
    ///   not the path of a regular file, ``KeyError/Code/storage`` if the file cannot be opened.
    package init(reading path: String) throws(KeyError) {
        let (file, mode) = try PrivateFile.open(path)
        guard mode & S_IFMT == S_IFREG else { throw KeyError(.damaged, "\(path) is not a file.") }
        (self.path, self.file) = (path, file)
        isOpenToOthers = mode & 0o077 != 0
    }

    private static func open(_ path: String) throws(KeyError) -> (SystemFile, mode_t) {
        do {
            // The path may name a pipe. Without `O_NONBLOCK`, opening a pipe would wait until another process writes to
            // it.
            let file = try SystemFile(path, O_RDONLY | O_NONBLOCK)
            return (file, try file.status().st_mode)
        } catch {
            if error == .isMissing {
                throw KeyError(.noKey, "The key's file \(path) does not exist.")
            }
            throw failure("\(path) cannot be opened", error)
        }
    }

    /// The content of the file, at most `countMax` bytes.
    package func read(_ countMax: Int) throws(KeyError) -> WipedMemory {
        var count = 0
        let memory = try WipedMemory(byteCount: countMax) { (buffer) throws(KeyError) in
            while count < countMax {
                let piece = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                if piece == 0 { break }
                count += piece
            }
        }
        return WipedMemory(byteCount: count) { part in
            memory.withBytes { part.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) throws(KeyError) -> Int {
        do {
            return try file.read(into: buffer)
        } catch {
            throw PrivateFile.failure("\(path) cannot be read", error)
        }
    }
}

extension PrivateFile {
    /// Writes a new file with the mode 0600 and flushes it. If this fails, the file is removed.
    ///
    /// - Throws: ``KeyError`` with code ``KeyError/Code/keyExists`` if a file has this path.
    static func write(_ bytes: UnsafeRawBufferPointer, toNew path: String) throws(KeyError) {
        let file: SystemFile
        do {
            file = try SystemFile(path, O_WRONLY | O_CREAT | O_EXCL)
        } catch {
            guard error == .isThere else { throw failure("\(path) cannot be created", error) }
            throw KeyError(.keyExists, "\(path) exists already. A file with a key is never overwritten.")
        }
        do {
            try file.write(bytes)
            try file.flush()
        } catch {
            unlink(path)
            throw failure("\(path) cannot be written", error)
        }
    }

    /// Replaces a file, or creates it if it is absent. The new file has the mode 0600. A process that reads the file at
    /// the same time gets either the complete old content or the complete new content.
    ///
    /// Only one caller may replace a file at a time. Callers use ``FolderLock`` for this.
    package static func replace(_ path: String, with bytes: UnsafeRawBufferPointer) throws(KeyError) {
        let newPath = "\(path).new"
        // An interrupted replacement may have left this file.
        unlink(newPath)
        try write(bytes, toNew: newPath)
        guard rename(newPath, path) == 0 else {
            let error = SystemError.last
            unlink(newPath)
            throw failure("\(path) cannot be replaced", error)
        }
        try flushFolder(of: path)
    }

    /// Deletes a file, and the file of an interrupted replacement. Does nothing if both are absent.
    static func remove(_ path: String) throws(KeyError) {
        unlink("\(path).new")
        guard unlink(path) != 0 else { return try flushFolder(of: path) }
        let error = SystemError.last
        guard error == .isMissing else { throw failure("\(path) cannot be deleted", error) }
    }

    /// Flushes the folder that contains a file. After that, the names of files that were created, renamed or removed in
    /// this folder are on disk.
    package static func flushFolder(of path: String) throws(KeyError) {
        let folder = folder(of: path)
        do {
            try SystemFile(folder, O_RDONLY).flush()
        } catch {
            throw failure("\(folder) cannot be flushed to the disk", error)
        }
    }

    /// Whether a file with this path exists. The result is also `true` for a link whose target does not exist.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The path with its links resolved; the path itself if it does not exist.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the path of the directory that contains a file: `.` for a path without a slash, `/` for a file in the
    /// root.
    package static func folder(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    static func failure(_ what: String, _ error: SystemError) -> KeyError {
        KeyError(.storage, "\(what): \(error).")
    }
}
