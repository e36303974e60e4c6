//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The file of an incomplete backup. It has a temporary name until the backup is complete, and is removed if the backup
/// is never completed.
package final class UnfinishedBackup: Sendable {
    /// The path of the temporary file, which is empty at first.
    package let partial: String
    private let path: String
    private let lock: BackupLock

    /// Begins a backup. Removes the temporary file of an earlier attempt.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/fileExists`` if a file exists at `path`, or
    ///   ``StoreError/Code/fileInUse`` if another backup to this path is in progress.
    package init(of path: String) throws(StoreError) {
        self.path = path
        partial = path + ".partial"
        lock = try BackupLock(of: path)
        try Backup.checkIsFree(path)
        remove()
        try DatabaseFiles.create(partial)
    }

    deinit { end() }

    /// Renames the file to its final name. The caller has flushed it.
    package func publish() throws { try Backup.publish(partial, as: path) }

    /// Removes the temporary file if it still exists, and releases the path. Does nothing after the first call.
    package func end() {
        guard lock.isHeld else { return }
        remove()
        lock.release()
    }

    private func remove() {
        FileConversion.abandon(partial)
        for suffix in ["", "-journal"] { unlink(partial + suffix) }
    }
}
