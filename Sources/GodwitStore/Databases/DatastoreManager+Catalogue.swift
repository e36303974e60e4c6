//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension DatastoreManager {
    /// A setting kept beside the databases; `nil` when it was never set.
    package func setting(_ key: String) async throws(StoreError) -> [UInt8]? {
        try await onPool { try self.catalogue.setting(key) }
    }

    /// The settings whose keys begin with a text, in the order of their keys.
    package func settings(
        beginningWith prefix: String
    ) async throws(StoreError) -> [(key: String, value: [UInt8])] {
        try await onPool { try self.catalogue.settings(beginningWith: prefix) }
    }

    /// Keeps a setting beside the databases.
    package func setSetting(_ key: String, to value: [UInt8]) async throws(StoreError) {
        try await onPool {
            try self.reserve.checkRoom()
            try self.catalogue.setSetting(key, to: value)
        }
    }

    /// Forgets a setting.
    package func removeSetting(_ key: String) async throws(StoreError) {
        try await onPool { try self.catalogue.removeSetting(key) }
    }

    /// Forgets a setting whose return after a crash does no harm, without waiting for the disk.
    package func removeSettingLater(_ key: String) { catalogue.removeSettingLater(key) }

    /// The security object of a database, as it was given; `nil` within when none was.
    ///
    /// - Returns: `nil` when there is no such database.
    package func security(of name: String) async throws(StoreError) -> [UInt8]?? {
        try await onPool { try self.catalogue.security(of: name) }
    }

    /// Sets the security object of a database. One that it has already is not written.
    package func setSecurity(of name: String, to object: [UInt8]) async throws(StoreError) {
        try await onPool {
            if let found = try self.catalogue.security(of: name), let kept = found, kept == object { return }
            try self.reserve.checkRoom()
            try self.catalogue.setSecurity(of: name, to: object)
        }
    }

    /// The number of the last entry of the journal.
    package func lastUpdate() async throws(StoreError) -> Int64 {
        try await onPool { try self.catalogue.lastUpdate() }
    }

    /// The files that the catalogue knows, relative to the directory.
    func files() async throws(StoreError) -> Set<String> { try await onPool { try self.catalogue.files() } }

    func instance(of name: String) async throws(StoreError) -> String? {
        try await onPool { try self.catalogue.instance(of: name) }
    }

    /// What happened to databases after a number, in order: one slice.
    package func updates(after sequence: Int64) async throws(StoreError) -> [DatabaseUpdate] {
        try await onPool { try self.catalogue.updates(after: sequence, rowsMax: StoreLimits.updatesSliceMax) }
    }
}
