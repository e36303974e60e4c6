//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation

/// A temporary backup to be sent: a file without a name, which is released when this object is deallocated.
package final class UnlinkedBackup: Sendable {
    /// The length of the file, in bytes.
    package let byteCount: Int
    private let file: OpenFile

    fileprivate init(takingAway path: String) throws(StoreError) {
        file = try OpenFile(reading: path, as: "the backup")
        byteCount = try file.byteCount()
        // An unlinked file exists until it is closed; the system closes it even if the process is killed.
        unlink(path)
    }

    /// The next bytes, read on the blocking pool; empty at the end.
    package func read() async throws -> [UInt8] {
        let file = file
        return try await BlockingPool.shared.run { try file.read(StoreLimits.backupReadBytes) }
    }
}

extension DatastoreManager {
    /// Creates a backup to be sent, as ``Datastore/backup(to:as:progress:)`` does. The backup uses disk space in the
    /// manager's directory until it is deallocated.
    package func unlinkedBackup(
        of datastore: Datastore, progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void
    ) async throws -> UnlinkedBackup {
        let path = TemporaryFiles.newPath(in: directory)
        try await datastore.backup(to: path, progress: progress)
        return try await BlockingPool.shared.run { try UnlinkedBackup(takingAway: path) }
    }
}
