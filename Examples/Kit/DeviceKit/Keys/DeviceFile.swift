//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A small file that only its owner can read. It is replaced atomically and durably.
///
/// After a crash, the file has either the old content or the new content. When a call returns, its change is on disk.
/// Foundation's `.atomic` option does not guarantee that the change is on disk, or that the file has the right
/// permissions.
public struct DeviceFile: Sendable {
    /// The path of the file.
    public let path: String

    /// Creates an object for a file, which may not exist yet.
    public init(path: String) { self.path = path }

    private var folder: String { URL(filePath: path).deletingLastPathComponent().path }

    /// Whether the file exists.
    public var exists: Bool { access(path, F_OK) == 0 }

    /// The content of the file; `nil` when it cannot be read.
    public var contents: Data? { FileManager.default.contents(atPath: path) }

    /// Replaces the file. If it does not exist, it is created.
    ///
    /// - Throws: ``DeviceError`` with code ``DeviceError/Code/storage``, as all methods of the file do.
    public func write(_ bytes: some DataProtocol) throws(DeviceError) {
        let newFile = DeviceFile(path: "\(path).\(UUID().uuidString)")
        do throws(DeviceError) {
            try newFile.writeNew(Array(bytes))
            try replace(by: newFile)
        } catch {
            unlink(newFile.path)
            throw error
        }
    }

    private func writeNew(_ bytes: [UInt8]) throws(DeviceError) {
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

    /// Replaces this file with another file of the same folder. The content of the other file must already be on disk.
    public func replace(by newFile: DeviceFile) throws(DeviceError) {
        guard rename(newFile.path, path) == 0 else { throw failure("replaced") }
        try flushFolder()
    }

    /// Removes the file. Does nothing when it does not exist.
    public func remove() throws(DeviceError) {
        guard unlink(path) == 0 else {
            guard errno == ENOENT else { throw failure("removed") }
            return
        }
        try flushFolder()
    }

    /// Flushes the folder's entries to disk.
    private func flushFolder() throws(DeviceError) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("written") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("written") }
    }

    private func failure(_ action: String) -> DeviceError {
        DeviceError(.storage, "\(path) cannot be \(action): \(String(cString: strerror(errno))).")
    }
}

// Calls the system's function `write`, which a method with the same name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
