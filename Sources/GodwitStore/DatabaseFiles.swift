//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
    /// Writes a prepared image so that after a crash it is there whole or not at all.
    static func create(at path: String, image: [UInt8]) throws {
        let folder = String(path[..<path.lastIndex(of: "/")!])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // A crash between the file and the catalogue's row may have left one.
        try remove(at: path)
        let temporary = path + ".new"
        try write(image, to: temporary)
        guard rename(temporary, path) == 0 else { throw failure("renaming", temporary) }
        try flush(folder)
    }

    /// Removes a database's file and its log; those that are not there do not matter.
    static func remove(at path: String) throws {
        for suffix in ["", "-wal", "-shm", ".new"] {
            guard unlink(path + suffix) == 0 || errno == ENOENT else { throw failure("removing", path + suffix) }
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("creating", path) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { unsafe in
                #if canImport(Darwin)
                    Darwin.write(descriptor, unsafe.baseAddress! + written, unsafe.count - written)
                #elseif canImport(Musl)
                    Musl.write(descriptor, unsafe.baseAddress! + written, unsafe.count - written)
                #else
                    Glibc.write(descriptor, unsafe.baseAddress! + written, unsafe.count - written)
                #endif
            }
            guard count > 0 else { throw failure("writing", path) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw failure("flushing", path) }
    }

    /// Makes a new name in a folder durable.
    private static func flush(_ folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("opening", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("flushing", folder) }
    }

    private static func failure(_ operation: String, _ path: String) -> StoreError {
        let reason = errno
        let code: StoreError.Code = reason == ENOSPC ? .diskFull : .storage
        return StoreError(code, "\(operation) \(path): \(String(cString: strerror(reason)))")
    }
}
