//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitThreads

/// The security objects of the databases, those that were used lately in memory.
final class SecurityObjects: Sendable {
    /// Databases whose objects are kept in memory.
    private static let keptMax = 10_000

    private struct Kept {
        /// What was given; `nil` within for a database to which nobody gave anything.
        var objects: [String: SecurityObject?] = [:]
        /// Grows with each change, so that what was read before one is not kept after it.
        var changes = 0
    }

    private let manager: DatastoreManager
    private let kept = Mutex(Kept())

    private let settings: ServerSettings
    private let changes: RightsChanges

    init(manager: DatastoreManager, settings: ServerSettings, changes: RightsChanges) {
        self.manager = manager
        self.settings = settings
        self.changes = changes
    }

    /// The security object of a database; `nil` when there is no such database.
    func object(of name: String) async throws -> SecurityObject? {
        let (found, changes) = kept.withLock { ($0.objects[name], $0.changes) }
        if let found { return found ?? unset(name) }
        guard let stored = try await manager.security(of: name) else { return nil }
        let object = try stored.map { try SecurityObject(try JSONValue(parsing: $0)) }
        kept.withLock { kept in
            guard kept.changes == changes else { return }
            if kept.objects.count >= SecurityObjects.keptMax { kept.objects.removeAll() }
            kept.objects.updateValue(object, forKey: name)
        }
        return object ?? unset(name)
    }

    /// What a database has to which nobody gave a security object.
    private func unset(_ name: String) -> SecurityObject {
        let isOpen = settings.options.defaultSecurity == "everyone" && !DatabaseName.systemNames.contains(name)
        return isOpen ? .everyone : .administratorsOnly
    }

    /// Sets the security object of a database.
    func set(_ object: SecurityObject, of name: String) async throws {
        try await manager.setSecurity(of: name, to: JSONValue.object(object.value).jsonBytes())
        forget(name)
    }

    /// Drops what is in memory of a database that was made or deleted.
    func forget(_ name: String) {
        kept.withLock { kept in
            kept.objects[name] = nil
            kept.changes += 1
        }
        changes.note(database: name)
    }
}
