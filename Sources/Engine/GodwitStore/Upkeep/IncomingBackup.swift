//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A backup that is received in pieces. When it is complete, ``restore()`` creates a database from it.
/// The counterpart for sending a backup is ``UnlinkedBackup``.
///
/// The bytes are in a file in the manager's directory. The file is removed when this object is released.
package final class IncomingBackup: Sendable {
    private let manager: DatastoreManager
    private let name: DatabaseName
    private let path: String
    private let file: SystemFile

    fileprivate init(of name: DatabaseName, in manager: DatastoreManager) throws(StoreError) {
        self.manager = manager
        self.name = name
        path = TemporaryFiles.newPath(in: manager.directory)
        try DatabaseFiles.create(path)
        file = try DatabaseFiles.open(path, O_WRONLY, "opening")
    }

    deinit { TemporaryFiles.remove(path) }

    /// Writes the next bytes of the file, on the blocking pool.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/diskFull`` if the disk has no space for them.
    package func append(_ bytes: [UInt8]) async throws {
        try await BlockingPool.shared.run { [self] in
            try DatabaseFiles.attempt("writing", path) { () throws(SystemError) in try file.write(bytes) }
        }
    }

    /// Creates a database from the received bytes, as
    /// ``DatastoreManager/restore(from:encryptedWith:named:encryption:progress:)`` does. An encrypted backup must be
    /// encrypted with the directory's key.
    package func restore() async throws(StoreError) { try await manager.restore(from: path, named: name.description) }
}

extension DatastoreManager {
    /// Begins to receive a backup. The disk needs space for the received file and for the database that is created from
    /// it.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseExists`` if a database has this name, or
    ///   ``StoreError/Code/invalidDatabaseName`` if the name is invalid.
    package func arrivingBackup(named name: String) async throws(StoreError) -> IncomingBackup {
        let checked = try DatabaseName(name)
        return try await onPool {
            try self.names.withLock(name) { try self.checkIsFree(checked) }
            return try IncomingBackup(of: checked, in: self)
        }
    }
}
