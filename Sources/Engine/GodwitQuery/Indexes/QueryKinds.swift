//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitKeys
public import GodwitStore
import GodwitText

extension DatastoreManager {
    /// Opens a directory, and creates it if it does not exist. Its databases maintain indexes for queries.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - durability: Whether a write is on disk when it is acknowledged, or only after the next checkpoint.
    ///   - limits: The limits of the databases.
    ///   - key: The key that encrypts every file; `nil` for unencrypted files. A database may have a separate
    ///     encryption (``datastore(named:encryption:)``).
    ///   - options: The properties of the directory on a phone: whether other processes may read it, its protection, and
    ///     its exclusion from backups.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse`` when another manager, of this or another
    ///   process, has opened the directory; ``StoreError/Code/encrypted`` or ``StoreError/Code/wrongKey`` when the key
    ///   does not match; ``StoreError/Code/keyChangePending`` when a change of the key was interrupted;
    ///   ``StoreError/Code/formatTooNew`` when a newer version wrote the directory.
    public convenience init(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default, key: EncryptionKey? = nil,
        options: DirectoryOptions = DirectoryOptions()
    ) throws(StoreError) {
        try self.init(
            directory: directory, durability: durability, limits: limits, key: key, options: options,
            indexes: QueryKinds.all)
    }

    /// Opens a directory for reading while another process, or another manager of this process, writes it. The other
    /// manager was opened with ``DirectoryOptions/isShared``.
    ///
    /// ```swift
    /// // In a widget, with the container of the app's group:
    /// let manager = try DatastoreManager(reading: container)
    /// let trips = try await manager.existingDatastore(named: "trips")
    /// ```
    ///
    /// Reads see the last commit of the other process at once, feeds and live queries within a quarter of a second.
    /// Writes throw ``StoreError/Code/readOnly``. If the other process deletes or restores a database, its ``Datastore``
    /// instances are closed here. An index that is still being built is not used.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - limits: The limits of the databases.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseNotFound`` when no manager has created the directory
    ///   yet; ``StoreError/Code/directoryInUse`` when a manager has opened it without sharing it; and as
    ///   ``init(directory:durability:limits:key:options:)``.
    public convenience init(
        reading directory: String, limits: StoreLimits = .default
    ) throws(StoreError) {
        try self.init(reading: directory, limits: limits, indexes: QueryKinds.all)
    }
}

/// The types of indexes that queries use.
package enum QueryKinds {
    /// The index types for opening a manager.
    package static var all: [any IndexKind] {
        let geo: [any IndexKind] = GeoIndexes.kind.map { [$0] } ?? []
        return [JSONIndex(), TextIndex()] + geo
    }
}
