//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Holds the name of a backup for one who writes it or changes its key.
///
/// The lock is the kernel's (`flock`), on a file beside it, since the backup itself changes hands by being renamed. It ends with
/// the process; the file, which is empty, is removed by whoever holds it last.
final class BackupLock: Sendable {
    private let path: String
    private let descriptor: Mutex<Int32?>

    /// - Throws: ``StoreError`` with code ``StoreError/Code/fileInUse``.
    init(of backup: String) throws(StoreError) {
        path = backup + ".godwit-lock"
        var taken: Int32?
        while taken == nil { taken = try BackupLock.take(path, for: backup) }
        descriptor = Mutex(taken)
    }

    deinit { release() }

    var isHeld: Bool { descriptor.withLock { $0 != nil } }

    /// Lets others have the name; again it does nothing.
    func release() {
        descriptor.withLock { descriptor in
            guard let held = descriptor else { return }
            unlink(path)
            // Said aloud: a child that another thread is about to start may have a copy of the descriptor for a moment.
            flock(held, LOCK_UN)
            close(held)
            descriptor = nil
        }
    }

    /// - Returns: `nil` when the file was removed by its last holder meanwhile.
    private static func take(_ path: String, for backup: String) throws(StoreError) -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(.storage, "\(path) cannot be made: \(String(cString: strerror(errno))).")
        }
        // Where the file system has no locks there is none to wait for.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            close(descriptor)
            throw StoreError(
                .fileInUse, "\(backup) is being written, or given another key, by somebody else. Try again afterwards.")
        }
        var (held, named) = (stat(), stat())
        guard fstat(descriptor, &held) == 0, stat(path, &named) == 0, held.st_ino == named.st_ino else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
