//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An open file or folder. The file is closed when this object is deallocated.
///
/// System calls that a signal interrupts are repeated. Errors contain only the system's error; the caller adds the
/// file's path.
package final class SystemFile: Sendable {
    private let descriptor: Int32

    /// Opens a file. A new file can be read and written only by its owner.
    ///
    /// - Parameter flags: The flags of `open(2)`; `O_CLOEXEC` is added.
    package init(_ path: String, _ flags: Int32) throws(SystemError) {
        descriptor = try SystemFile.repeatInterrupted { open(path, flags | O_CLOEXEC, 0o600) }
    }

    /// Opens a regular file for reading, for example a file of a folder that comes from somewhere else. A symbolic link
    /// is not followed, and a pipe or device is not opened for longer than it takes to recognize it.
    ///
    /// - Throws: The system's error; `ELOOP` for a symbolic link, `EINVAL` for anything else that is no regular file.
    package convenience init(regularFile path: String) throws(SystemError) {
        try self.init(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        guard try status().st_mode & S_IFMT == S_IFREG else { throw SystemError(EINVAL) }
    }

    /// Duplicates the descriptor of an open file, such as standard input.
    package init(copying descriptor: Int32) throws(SystemError) {
        self.descriptor = try SystemFile.repeatInterrupted { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    }

    deinit { close(descriptor) }

    /// The file's status (`fstat(2)`).
    package func status() throws(SystemError) -> stat {
        var status = stat()
        _ = try SystemFile.repeatInterrupted { fstat(descriptor, &status) }
        return status
    }

    /// The size of the file, in bytes.
    package func byteCount() throws(SystemError) -> Int { Int(try status().st_size) }

    // MARK: Reading

    /// Reads the available next bytes into a buffer.
    ///
    /// - Returns: The number of bytes, which may be less than the buffer's size even before the end; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try SystemFile.repeatInterrupted { systemRead(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// The available next bytes, at most `countMax`; empty only at the end.
    package func read(_ countMax: Int) throws(SystemError) -> [UInt8] {
        try SystemFile.readBytes(countMax) { (buffer) throws(SystemError) in try read(into: buffer) }
    }

    /// The bytes that start at an offset, at most `countMax`; empty only at the end.
    package func read(_ countMax: Int, at byteOffset: Int) throws(SystemError) -> [UInt8] {
        try SystemFile.readBytes(countMax) { (buffer) throws(SystemError) in
            try SystemFile.repeatInterrupted {
                pread(descriptor, buffer.baseAddress, buffer.count, off_t(byteOffset))
            }
        }
    }

    /// Reads a file from its beginning, also one whose size the system does not know, such as those of `/proc`.
    ///
    /// Foundation's functions for this lose 4096 bytes of memory with each file that is empty, on Linux with Swift 6.3.
    ///
    /// - Parameter countMax: The maximum number of bytes to read.
    package static func contents(of path: String, countMax: Int) throws(SystemError) -> [UInt8] {
        let file = try SystemFile(path, O_RDONLY)
        var bytes: [UInt8] = []
        while bytes.count < countMax {
            let next = try file.read(min(countMax - bytes.count, 65_536))
            if next.isEmpty { break }
            bytes += next
        }
        return bytes
    }

    /// Returns the bytes that a closure reads into a buffer of `countMax` bytes. The closure returns their number.
    private static func readBytes(
        _ countMax: Int, _ read: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    ) throws(SystemError) -> [UInt8] {
        do {
            return try [UInt8](unsafeUninitializedCapacity: countMax) { buffer, count in
                count = try read(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: countMax))
            }
        } catch let error as SystemError {
            throw error
        } catch {
            preconditionFailure("Reading throws only errors of the system.")
        }
    }

    // MARK: Writing

    /// Writes all bytes at the current position.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var remainingBytes = bytes[...]
        while !remainingBytes.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: remainingBytes)
            remainingBytes = try remainingBytes.dropFirst(
                SystemFile.writtenCount { systemWrite(descriptor, piece.baseAddress, piece.count) })
        }
    }

    /// Writes all bytes at the current position.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in try write(UnsafeRawBufferPointer(bytes)) }
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: [UInt8], at byteOffset: Int) throws(SystemError) {
        var totalCount = 0
        while totalCount < bytes.count {
            totalCount += try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
                try SystemFile.writtenCount {
                    pwrite(
                        descriptor, bytes.baseAddress! + totalCount, bytes.count - totalCount,
                        off_t(byteOffset + totalCount))
                }
            }
        }
    }

    /// Returns when the written data is on disk. For a folder, returns when the created, renamed and removed names are
    /// on disk.
    package func flush() throws(SystemError) {
        _ = try SystemFile.repeatInterrupted { SystemFile.flushToDisk(descriptor) }
    }

    // MARK: Locking

    /// Acquires the file's lock (`flock`) if it is free. The lock is released by ``unlock()``, when the file is closed,
    /// and when the process ends.
    ///
    /// - Returns: `false` if another open file or process has the lock.
    package func lock() throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try SystemFile.repeatInterrupted { flock(descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            guard error.number == EWOULDBLOCK else { throw error }
            return false
        }
    }

    /// Releases the lock. Closing the file may release the lock too late. A child process that another thread is
    /// starting may have a copy of the descriptor for a moment.
    package func unlock() { flock(descriptor, LOCK_UN) }

    /// Performs a write and returns the number of written bytes. If no byte is written and no error is reported, throws
    /// the error `EIO`. This prevents an endless loop.
    private static func writtenCount(_ call: () -> Int) throws(SystemError) -> Int {
        let count = try repeatInterrupted(call)
        guard count > 0 else { throw SystemError(EIO) }
        return count
    }

    /// Repeats a system call while a signal interrupts it. Throws the error of the system for any other failure.
    private static func repeatInterrupted<Result: SignedInteger>(_ call: () -> Result) throws(SystemError) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw .last }
        }
    }
}

// These functions are outside of the class: within it, methods hide the global functions of the same names.

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
