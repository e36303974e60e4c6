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
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse`` when another manager, of this or another
    ///   process, has opened the directory; ``StoreError/Code/encrypted`` or ``StoreError/Code/wrongKey`` when the key
    ///   does not match; ``StoreError/Code/keyChangePending`` when a change of the key was interrupted;
    ///   ``StoreError/Code/formatTooNew`` when a newer version wrote the directory.
    public convenience init(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default, key: EncryptionKey? = nil
    ) throws(StoreError) {
        try self.init(directory: directory, durability: durability, limits: limits, key: key, indexes: QueryKinds.all)
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
