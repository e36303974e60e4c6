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

/// A backup on its way to somebody: a file without a name, which is gone when nobody holds this any more.
package final class PassingBackup: Sendable {
    /// The length of the file.
    package let byteCount: Int
    private let file: OpenFile

    fileprivate init(takingAway path: String) throws(StoreError) {
        file = try OpenFile(reading: path, as: "the backup")
        byteCount = try file.byteCount()
        // What is open stays until it is closed, also when the process is killed.
        unlink(path)
    }

    /// The next bytes, read on the blocking pool; none at the end.
    package func read() async throws -> [UInt8] {
        let file = file
        return try await BlockingPool.shared.run { try file.read(StoreLimits.backupReadBytes) }
    }
}

extension DatastoreManager {
    /// Makes a backup that is to be sent, as ``Datastore/backup(to:progress:)`` does; it takes the room of the database
    /// in the manager's directory while it is held.
    package func passingBackup(
        of datastore: Datastore, progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void
    ) async throws -> PassingBackup {
        let path = PassingFiles.newPath(in: directory)
        try await datastore.backup(to: path, progress: progress)
        return try await BlockingPool.shared.run { try PassingBackup(takingAway: path) }
    }
}
