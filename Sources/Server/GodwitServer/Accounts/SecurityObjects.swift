//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore

/// The security objects of the databases. The objects of recently used databases are cached in memory.
final class SecurityObjects: Sendable {
    /// The maximum number of databases whose objects are in memory.
    private static let cachedMax = 10_000

    private struct Cache {
        /// The stored objects per database name; the inner value is `nil` for a database without a stored object.
        var objects: [String: SecurityObject?] = [:]
        /// The number of changes of objects so far. If this number changes while an object is being read, the object
        /// may be outdated and is not cached.
        var changes = 0
    }

    private let manager: DatastoreManager
    private let cache = Mutex(Cache())

    private let settings: ServerSettings
    private let changes: RightsChanges

    init(manager: DatastoreManager, settings: ServerSettings, changes: RightsChanges) {
        self.manager = manager
        self.settings = settings
        self.changes = changes
    }

    /// Returns the security object of a database, or the default for a database without a stored object.
    ///
    /// - Returns: The object; `nil` when the database does not exist.
    func object(of name: String) async throws -> SecurityObject? {
        let (cached, changes) = cache.withLock { ($0.objects[name], $0.changes) }
        if let cached { return cached ?? defaultObject(name) }
        guard let stored = try await manager.security(of: name) else { return nil }
        let object = try stored.map { try SecurityObject(try JSONValue(parsing: $0)) }
        cache.withLock { cache in
            guard cache.changes == changes else { return }
            if cache.objects.count >= SecurityObjects.cachedMax { cache.objects.removeAll() }
            cache.objects.updateValue(object, forKey: name)
        }
        return object ?? defaultObject(name)
    }

    /// Returns the object of a database for which no object is stored. For a system database, it is always the same.
    /// For any other database, it depends on the setting `default_security`. With `admin_local`, CouchDB protects only
    /// databases of the local port, which it no longer has.
    private func defaultObject(_ name: String) -> SecurityObject {
        let isOpen = settings.options.defaultSecurity != "admin_only" && !DatabaseName.systemNames.contains(name)
        return isOpen ? .everyone : .administratorsOnly
    }

    /// Stores the security object of a database, and notes the change of rights.
    func set(_ object: SecurityObject, of name: String) async throws {
        try await manager.setSecurity(of: name, to: JSONValue.object(object.value).jsonBytes())
        forget(name)
    }

    /// Removes a database's object from memory, and notes a change of rights. Call it after a database is created or
    /// deleted.
    func forget(_ name: String) {
        cache.withLock { cache in
            cache.objects[name] = nil
            cache.changes += 1
        }
        changes.note(database: name)
    }
}
