//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitKeys
public import GodwitStore
import GodwitText

extension DatastoreManager {
    /// Opens a directory, making it when it is not there. Its databases keep indexes for queries.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - durability: When a write is on disk.
    ///   - limits: The limits of its databases.
    ///   - key: What every file is encrypted with; `nil` for plain files. A database may have an encryption of its own
    ///     (``datastore(named:encryption:)``).
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse`` when another process has it open.
    public convenience init(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default, key: EncryptionKey? = nil
    ) throws(StoreError) {
        try self.init(directory: directory, durability: durability, limits: limits, key: key, indexes: QueryKinds.all)
    }
}

/// The kinds of indexes that queries use.
package enum QueryKinds {
    /// What a manager is opened with.
    package static var all: [any IndexKind] {
        let geo: [any IndexKind] = GeoIndexes.kind.map { [$0] } ?? []
        return [JSONIndex(), TextIndex()] + geo
    }
}
