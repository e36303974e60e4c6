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

    /// What the files are called while they are made. A crash can leave one; the next start removes it.
    private static let namePrefix = ".passing-backup-"

    fileprivate init(takingAway path: String) throws(StoreError) {
        file = try OpenFile(reading: path, as: "the backup")
        byteCount = try file.byteCount()
        // What is open stays until it is closed, also when the process is killed.
        unlink(path)
    }

    /// The path of one to be made in a directory of databases.
    static func newPath(in directory: String) -> String { "\(directory)/\(namePrefix)\(UUID().uuidString)" }

    /// Removes one that is not sent.
    static func remove(_ path: String) { for suffix in ["", "-journal"] { unlink(path + suffix) } }

    /// Removes those that a crash left in a directory.
    static func removeAll(in directory: String) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: directory)
        for file in files where file.hasPrefix(namePrefix) { unlink("\(directory)/\(file)") }
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
        let path = PassingBackup.newPath(in: directory)
        try await datastore.backup(to: path, progress: progress)
        return try await BlockingPool.shared.run { try PassingBackup(takingAway: path) }
    }

    /// Removes what a crash left of backups that were being made.
    func removePassingBackups() throws { try PassingBackup.removeAll(in: directory) }
}
