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

/// The file of a backup that is not whole yet. It has another name until then, and is removed when it never becomes whole.
package final class UnfinishedBackup: Sendable {
    /// An empty file to write to.
    package let partial: String
    private let path: String
    private let lock: BackupLock

    /// Begins a backup. What an earlier try left is gone.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/fileExists``, or ``StoreError/Code/fileInUse`` when somebody else
    ///   has begun the same.
    package init(of path: String) throws(StoreError) {
        self.path = path
        partial = path + ".partial"
        lock = try BackupLock(of: path)
        try Backup.checkIsFree(path)
        remove()
        try DatabaseFiles.create(partial)
    }

    deinit { end() }

    /// Gives the file its name. All of it is on disk.
    package func publish() throws { try Backup.publish(partial, as: path) }

    /// Removes the file when it has not become whole, and lets others have its name; again it does nothing.
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
