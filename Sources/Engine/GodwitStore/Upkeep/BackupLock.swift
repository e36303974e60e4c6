//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An exclusive lock on the path of a backup, for one task that writes the backup or changes its key.
///
/// The lock is a kernel lock (`flock`) on a separate, empty file. The file of the backup itself cannot be locked,
/// because a new file replaces it. When the process ends, the kernel releases the lock. The last holder removes the
/// file.
final class BackupLock: Sendable {
    private let path: String
    private let file: Mutex<SystemFile?>

    /// Takes the lock. If the file system does not support locks, succeeds without a lock.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/fileInUse`` if another task or process has the lock.
    init(of backup: String) throws(StoreError) {
        path = backup + ".godwit-lock"
        var lockedFile: SystemFile?
        while lockedFile == nil { lockedFile = try BackupLock.lockFile(path, for: backup) }
        file = Mutex(lockedFile)
    }

    deinit { release() }

    var isHeld: Bool { file.withLock { $0 != nil } }

    /// Releases the lock. Does nothing if it was released before.
    func release() {
        file.withLock { file in
            guard let lockedFile = file else { return }
            unlink(path)
            lockedFile.unlock()
            file = nil
        }
    }

    /// - Returns: `nil` if the last holder removed the file before the lock was taken.
    private static func lockFile(_ path: String, for backup: String) throws(StoreError) -> SystemFile? {
        let file: SystemFile
        do {
            file = try SystemFile(path, O_RDWR | O_CREAT)
        } catch {
            throw StoreError(.storage, "\(path) cannot be created: \(error).")
        }
        // If the file system does not support locks, continue without a lock.
        guard (try? file.lock()) != false else {
            throw StoreError(
                .fileInUse, "\(backup) is being written or re-encrypted by another process. Try again later.")
        }
        // The lock is useful only if the locked file is still the file at this path. This is the case if both have the
        // same inode.
        var pathStatus = stat()
        guard let fileStatus = try? file.status(), stat(path, &pathStatus) == 0,
            fileStatus.st_ino == pathStatus.st_ino
        else { return nil }
        return file
    }
}
