//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension DatastoreManager {
    /// The number of databases.
    package func databaseCount() async throws(StoreError) -> Int { try await onPool { try self.catalogue.count() } }

    /// The number of databases whose files are open.
    package var openCount: Int { state.withLock { $0.open.count } }

    /// A setting that is stored in the catalogue; `nil` if it is not set.
    package func setting(_ key: String) async throws(StoreError) -> [UInt8]? {
        try await onPool { try self.catalogue.setting(key) }
    }

    /// The settings whose keys begin with `prefix`, in ascending order of their keys.
    package func settings(
        beginningWith prefix: String
    ) async throws(StoreError) -> [(key: String, value: [UInt8])] {
        try await onPool { try self.catalogue.settings(beginningWith: prefix) }
    }

    /// At most `rowsMax` settings whose keys begin with `prefix`, in ascending order of their keys. Keys that are less
    /// than `firstKey` are omitted.
    package func settings(
        beginningWith prefix: String, from firstKey: String, rowsMax: Int
    ) async throws(StoreError) -> [(key: String, value: [UInt8])] {
        try await onPool { try self.catalogue.settings(beginningWith: prefix, from: firstKey, rowsMax: rowsMax) }
    }

    /// Stores a setting in the catalogue. It is durable when the call returns.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/diskFull`` if the disk is full.
    package func setSetting(_ key: String, to value: [UInt8]) async throws(StoreError) {
        try await onPool {
            try self.reserve.checkFreeSpace()
            try self.catalogue.setSetting(key, to: value)
        }
    }

    /// Removes a setting. The removal is durable when the call returns.
    package func removeSetting(_ key: String) async throws(StoreError) {
        try await onPool { try self.catalogue.removeSetting(key) }
    }

    /// Removes a setting without waiting for the disk. A crash may restore it.
    package func removeSettingLater(_ key: String) { catalogue.removeSettingLater(key) }

    /// The security object of a database, as the bytes that were stored; `.some(nil)` if none was set.
    ///
    /// - Returns: `nil` if no live database has this name.
    package func security(of name: String) async throws(StoreError) -> [UInt8]?? {
        try await onPool { try self.catalogue.security(of: name) }
    }

    /// Sets the security object of a database. Writes nothing if the stored object is equal, or if no database has this
    /// name.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/diskFull`` if the disk is full.
    package func setSecurity(of name: String, to object: [UInt8]) async throws(StoreError) {
        try await onPool {
            if let stored = try self.catalogue.security(of: name), let security = stored, security == object { return }
            try self.reserve.checkFreeSpace()
            try self.catalogue.setSecurity(of: name, to: object)
        }
    }

    /// The number of the last journal entry; 0 if the journal is empty.
    package func lastUpdate() async throws(StoreError) -> Int64 {
        try await onPool { try self.catalogue.lastUpdate() }
    }

    /// The files of all live databases, relative to the directory.
    func files() async throws(StoreError) -> Set<String> { try await onPool { try self.catalogue.files() } }

    func instance(of name: String) async throws(StoreError) -> String? {
        try await onPool { try self.catalogue.instance(of: name) }
    }

    /// The journal entries whose number is greater than `sequence`, in ascending order, at most `updatesSliceMax`.
    package func updates(after sequence: Int64) async throws(StoreError) -> [DatabaseUpdate] {
        try await onPool { try self.catalogue.updates(after: sequence, rowsMax: StoreLimits.updatesSliceMax) }
    }
}
