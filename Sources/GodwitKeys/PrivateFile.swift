//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that holds a secret: read into memory that is wiped, written for its owner alone, flushed to the disk.
package struct PrivateFile: ~Copyable {
    private let path: String
    private let file: SystemFile
    /// Whether the group or others may read or write it.
    package let isOpenToOthers: Bool

    /// Opens a file for reading.
    package init(reading path: String) throws(KeyError) {
        let (file, mode) = try PrivateFile.open(path)
        guard mode & S_IFMT == S_IFREG else { throw KeyError(.damaged, "\(path) is no file.") }
        (self.path, self.file) = (path, file)
        isOpenToOthers = mode & 0o077 != 0
    }

    private static func open(_ path: String) throws(KeyError) -> (SystemFile, mode_t) {
        do {
            // A pipe must not let its reader wait.
            let file = try SystemFile(path, O_RDONLY | O_NONBLOCK)
            return (file, try file.status().st_mode)
        } catch {
            if error == .isMissing {
                throw KeyError(.noKey, "There is no file \(path), where a key was looked for.")
            }
            throw failure("\(path) cannot be opened", error)
        }
    }

    /// What the file holds, at most so many bytes of it.
    package func read(_ countMax: Int) throws(KeyError) -> WipedMemory {
        var count = 0
        let whole = try WipedMemory(byteCount: countMax) { (buffer) throws(KeyError) in
            while count < countMax {
                let piece = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                if piece == 0 { break }
                count += piece
            }
        }
        return WipedMemory(byteCount: count) { part in
            whole.withBytes { part.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
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
    /// Writes a new file with the mode 0600 and flushes it. Nothing is left of it when that fails.
    ///
    /// - Throws: ``KeyError`` with code ``KeyError/Code/keyExists`` when anything has this name.
    static func write(_ bytes: UnsafeRawBufferPointer, toNew path: String) throws(KeyError) {
        let file: SystemFile
        do {
            file = try SystemFile(path, O_WRONLY | O_CREAT | O_EXCL)
        } catch {
            guard error == .isThere else { throw failure("\(path) cannot be made", error) }
            throw KeyError(.keyExists, "\(path) is there already. A file with a key is never overwritten.")
        }
        do {
            try file.write(bytes)
            try file.flush()
        } catch {
            unlink(path)
            throw failure("\(path) cannot be written", error)
        }
    }

    /// Puts a file with the mode 0600 in the place of another, or of none. A reader finds the old or the new one, whole.
    ///
    /// Only one may do so at a time; ``FolderLock`` sees to it.
    package static func replace(_ path: String, with bytes: UnsafeRawBufferPointer) throws(KeyError) {
        let next = "\(path).new"
        // What a process left that ended here.
        unlink(next)
        try write(bytes, toNew: next)
        guard rename(next, path) == 0 else {
            let error = SystemError.last
            unlink(next)
            throw failure("\(path) cannot be replaced", error)
        }
        try flushFolder(of: path)
    }

    /// Lets the folder remember what was made, renamed or removed in it.
    package static func flushFolder(of path: String) throws(KeyError) {
        let folder = folder(of: path)
        do {
            try SystemFile(folder, O_RDONLY).flush()
        } catch {
            throw failure("\(folder) cannot be flushed to the disk", error)
        }
    }

    /// Whether anything has this name, also a link to nothing.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Where links lead; the path itself when nothing is there.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    package static func folder(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    static func failure(_ what: String, _ error: SystemError) -> KeyError {
        KeyError(.storage, "\(what): \(error).")
    }
}
