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

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A small file that only its owner can read, with atomic and durable replacement.
///
/// After a crash the file has either the old content or the new one. Changes are on disk when a call returns.
/// Foundation's `.atomic` option guarantees neither this nor the file's permissions.
struct DeviceFile {
    let path: String

    private var folder: String { URL(filePath: path).deletingLastPathComponent().path }

    /// Whether the file exists.
    var exists: Bool { access(path, F_OK) == 0 }

    /// The content of the file; `nil` when it cannot be read.
    var contents: Data? { FileManager.default.contents(atPath: path) }

    /// Replaces the file, or creates it.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/storage``, as all methods of the file do.
    func write(_ bytes: some DataProtocol) throws(TrackerError) {
        let newFile = DeviceFile(path: "\(path).\(UUID().uuidString)")
        do throws(TrackerError) {
            try newFile.writeNew(Array(bytes))
            try replace(by: newFile)
        } catch {
            unlink(newFile.path)
            throw error
        }
    }

    private func writeNew(_ bytes: [UInt8]) throws(TrackerError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("written") }
        defer { close(descriptor) }
        var remaining = bytes[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes { systemWrite(descriptor, $0) }
            guard count > 0 else { throw failure("written") }
            remaining = remaining.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw failure("written") }
    }

    /// Replaces this file with another file of the same folder, which must be on disk.
    func replace(by newFile: DeviceFile) throws(TrackerError) {
        guard rename(newFile.path, path) == 0 else { throw failure("replaced") }
        try flushFolder()
    }

    /// Removes the file. Does nothing when it does not exist.
    func remove() throws(TrackerError) {
        guard unlink(path) == 0 else {
            guard errno == ENOENT else { throw failure("removed") }
            return
        }
        try flushFolder()
    }

    /// Flushes the folder's entries to disk.
    private func flushFolder() throws(TrackerError) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("written") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("written") }
    }

    private func failure(_ action: String) -> TrackerError {
        TrackerError(.storage, "\(path) cannot be \(action): \(String(cString: strerror(errno))).")
    }
}

// A method of the same name hides the system's function.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
