//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Godwit

/// The datastores of a directory.
///
/// Origin: `CDTDatastoreManager`. New: ``GodwitStore/DatastoreManager``.
@available(*, deprecated, message: "Use DatastoreManager.")
public final class CDTDatastoreManager {
    let manager: DatastoreManager
    private var open: [String: CDTDatastore] = [:]
    private let lock = NSLock()

    /// Opens a directory, and creates it if it is absent. Throws ``CDTError`` if the directory cannot be opened, or is
    /// open in another manager.
    ///
    /// Origin: `initWithDirectory:error:`. New: ``GodwitStore/DatastoreManager``'s initializers.
    public init(directory: String) throws {
        manager = try CDTError.converting { try DatastoreManager(directory: directory) }
    }

    /// Opens a datastore, or creates it.
    ///
    /// Origin: `datastoreNamed:error:`. New: ``GodwitStore/DatastoreManager/datastore(named:encryption:)``.
    @available(*, deprecated, message: "Use DatastoreManager.datastore(named:).")
    public func datastoreNamed(_ name: String) throws -> CDTDatastore { try datastore(name, nil) }

    /// Opens an encrypted datastore, or creates it.
    ///
    /// - Throws: ``CDTError`` with the code 400 if the key is wrong or missing, or if a key is given for a datastore
    ///   that is not encrypted.
    ///
    /// Origin: `datastoreNamed:withEncryptionKeyProvider:error:`. New:
    /// ``GodwitStore/DatastoreManager/datastore(named:encryption:)``.
    @available(*, deprecated, message: "Use DatastoreManager.datastore(named:encryption:).")
    public func datastoreNamed(
        _ name: String, withEncryptionKeyProvider provider: any CDTEncryptionKeyProvider
    ) throws -> CDTDatastore { try datastore(name, try provider.encryption()) }

    private func datastore(_ name: String, _ encryption: Encryption?) throws -> CDTDatastore {
        let manager = manager
        let store = try CDTError.waiting { try await manager.datastore(named: name, encryption: encryption) }
        return lock.withLock {
            if let same = open[name], same.store === store { return same }
            let opened = CDTDatastore(store)
            open[name] = opened
            return opened
        }
    }

    /// Closes a datastore.
    ///
    /// Origin: `closeDatastoreNamed:`. New: ``GodwitStore/DatastoreManager/close(named:)``.
    @available(*, deprecated, message: "Use DatastoreManager.close(named:).")
    public func closeDatastoreNamed(_ name: String) {
        let manager = manager
        lock.withLock { open[name] = nil }
        try? Blocking.run { await manager.close(named: name) }
    }

    /// Deletes a datastore with its attachments and indexes.
    ///
    /// Origin: `deleteDatastoreNamed:error:`. New: ``GodwitStore/DatastoreManager/delete(named:)``.
    @available(*, deprecated, message: "Use DatastoreManager.delete(named:).")
    public func deleteDatastoreNamed(_ name: String) throws {
        let manager = manager
        lock.withLock { open[name] = nil }
        try CDTError.waiting { try await manager.delete(named: name) }
    }

    /// Returns the names of all datastores.
    ///
    /// Origin: `allDatastores`. New: ``GodwitStore/DatastoreManager/names()``.
    @available(*, deprecated, message: "Use DatastoreManager.names().")
    public func allDatastores() -> [String] {
        let manager = manager
        return (try? Blocking.run { try await manager.names() }) ?? []
    }

    /// Closes all datastores, so that another manager can open the directory.
    ///
    /// Origin: the manager's deallocation. New: ``GodwitStore/DatastoreManager/close()``.
    public func close() {
        let manager = manager
        lock.withLock { open = [:] }
        try? Blocking.run { await manager.close() }
    }
}
