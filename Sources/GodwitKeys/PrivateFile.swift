//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
    private let descriptor: Int32
    /// Whether the group or others may read or write it.
    package let isOpenToOthers: Bool

    /// Opens a file for reading.
    package init(reading path: String) throws(KeyError) {
        self.path = path
        // A pipe must not let its reader wait.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let reason = errno
            isOpenToOthers = false
            if reason == ENOENT { throw KeyError(.noKey, "There is no file \(path), where a key was looked for.") }
            throw PrivateFile.failure("\(path) cannot be opened", reason)
        }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        isOpenToOthers = status.st_mode & 0o077 != 0
        // From here on `deinit` runs when this throws, and closes the file.
        guard isKnown, status.st_mode & S_IFMT == S_IFREG else { throw KeyError(.damaged, "\(path) is no file.") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// What the file holds, at most so many bytes of it.
    package func read(_ countMax: Int) throws(KeyError) -> WipedMemory {
        var count = 0
        let whole = try WipedMemory(byteCount: countMax) { (buffer) throws(KeyError) in
            while count < countMax {
                let piece = systemRead(descriptor, buffer.baseAddress! + count, countMax - count)
                guard piece >= 0 else { throw PrivateFile.failure("\(path) cannot be read", errno) }
                if piece == 0 { break }
                count += piece
            }
        }
        return WipedMemory(byteCount: count) { part in
            whole.withBytes { part.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}

extension PrivateFile {
    /// Writes a new file with the mode 0600 and flushes it. Nothing is left of it when that fails.
    ///
    /// - Throws: ``KeyError`` with code ``KeyError/Code/keyExists`` when anything has this name.
    static func write(_ bytes: UnsafeRawBufferPointer, toNew path: String) throws(KeyError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = errno
            guard reason == EEXIST else { throw failure("\(path) cannot be made", reason) }
            throw KeyError(.keyExists, "\(path) is there already. A file with a key is never overwritten.")
        }
        let isWritten = append(bytes, to: descriptor) && flush(descriptor)
        let reason = errno
        close(descriptor)
        guard isWritten else {
            unlink(path)
            throw failure("\(path) cannot be written", reason)
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
            let reason = errno
            unlink(next)
            throw failure("\(path) cannot be replaced", reason)
        }
        try flushFolder(of: path)
    }

    /// Lets the folder remember what was made, renamed or removed in it.
    package static func flushFolder(of path: String) throws(KeyError) {
        let folder = folder(of: path)
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("\(folder) cannot be opened", errno) }
        defer { close(descriptor) }
        guard flush(descriptor) else { throw failure("\(folder) cannot be flushed to the disk", errno) }
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

    static func failure(_ what: String, _ reason: Int32) -> KeyError {
        KeyError(.storage, "\(what): \(String(cString: strerror(reason))).")
    }

    private static func append(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = systemWrite(descriptor, piece.baseAddress, piece.count)
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func flush(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // `fsync` leaves it in the disk's own memory there; some file systems know nothing else.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }
}

// The members of the same name hide the system's.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
