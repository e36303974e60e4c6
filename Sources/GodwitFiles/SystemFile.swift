//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#elseif canImport(Darwin)
    package import Darwin
#endif

/// An open file or folder. It is closed when the last reference to it goes away.
///
/// Calls that a signal interrupts are made again. Errors carry what the system said; who opens the file says which file it was.
package final class SystemFile: Sendable {
    private let descriptor: Int32

    /// Opens a file. A new one is its owner's alone.
    ///
    /// - Parameter flags: As of `open(2)`; `O_CLOEXEC` is added.
    package init(_ path: String, _ flags: Int32) throws(SystemError) {
        descriptor = try SystemFile.repeated { open(path, flags | O_CLOEXEC, 0o600) }
    }

    /// Refers to a file that is open already, such as standard input.
    package init(copying descriptor: Int32) throws(SystemError) {
        self.descriptor = try SystemFile.repeated { dup(descriptor) }
    }

    deinit { close(descriptor) }

    /// What the system knows of it.
    package func status() throws(SystemError) -> stat {
        var status = stat()
        _ = try SystemFile.repeated { fstat(descriptor, &status) }
        return status
    }

    /// How long it is, in bytes.
    package func byteCount() throws(SystemError) -> Int { Int(try status().st_size) }

    // MARK: Reading

    /// Reads the next bytes into memory, as many as there are now.
    ///
    /// - Returns: How many were read; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try SystemFile.repeated { systemRead(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// The next bytes; none at the end.
    package func read(_ countMax: Int) throws(SystemError) -> [UInt8] {
        try SystemFile.bytes(countMax) { (buffer) throws(SystemError) in try read(into: buffer) }
    }

    /// The bytes from a place on; none at the end.
    package func read(_ countMax: Int, at place: Int) throws(SystemError) -> [UInt8] {
        try SystemFile.bytes(countMax) { (buffer) throws(SystemError) in
            try SystemFile.repeated { pread(descriptor, buffer.baseAddress, buffer.count, off_t(place)) }
        }
    }

    private static func bytes(
        _ countMax: Int, _ read: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    ) throws(SystemError) -> [UInt8] {
        do {
            return try [UInt8](unsafeUninitializedCapacity: countMax) { buffer, count in
                count = try read(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: countMax))
            }
        } catch let error as SystemError {
            throw error
        } catch {
            preconditionFailure("Reading throws errors of the system alone.")
        }
    }

    // MARK: Writing

    /// Writes all bytes behind what was written before.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            rest = try rest.dropFirst(SystemFile.written { systemWrite(descriptor, piece.baseAddress, piece.count) })
        }
    }

    /// Writes all bytes behind what was written before.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in try write(UnsafeRawBufferPointer(bytes)) }
    }

    /// Writes all bytes from a place on.
    package func write(_ bytes: [UInt8], at place: Int) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            written += try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
                try SystemFile.written {
                    pwrite(descriptor, bytes.baseAddress! + written, bytes.count - written, off_t(place + written))
                }
            }
        }
    }

    /// Returns when what was written is on disk; of a folder, when it remembers the names that were made or removed in it.
    package func flush() throws(SystemError) {
        #if canImport(Darwin)
            // `fsync` leaves it in the disk's own memory there; some file systems know nothing else.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try SystemFile.repeated { fsync(descriptor) }
    }

    // MARK: Locking

    /// Takes the file's lock (`flock`) unless another holder has it. ``unlock()`` releases it, and so does the end of the file's
    /// last reference or of the process.
    ///
    /// - Returns: Whether it was taken.
    package func lock() throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try SystemFile.repeated { flock(descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            guard error.number == EWOULDBLOCK else { throw error }
            return false
        }
    }

    /// Releases the lock. To close the file may come too late: a child process that another thread is about to start may
    /// have a copy of the descriptor for a moment.
    package func unlock() { flock(descriptor, LOCK_UN) }

    /// Writes until no signal interrupts it. A file that takes no byte and names no error would be written to for ever.
    private static func written(_ call: () -> Int) throws(SystemError) -> Int {
        let count = try repeated(call)
        guard count > 0 else { throw SystemError(EIO) }
        return count
    }

    /// Repeats a call that a signal interrupted.
    private static func repeated<Result: SignedInteger>(_ call: () -> Result) throws(SystemError) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw .last }
        }
    }
}

// The methods of the same names hide these.

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
