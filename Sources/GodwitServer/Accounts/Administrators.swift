//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitStore

/// The administrators of a server: kept as hashes beside the databases, or given for this run.
package final class Administrators: Sendable {
    private let hashes: Mutex<[String: PasswordHash]>
    /// Where they are kept; `nil` for those of this run alone.
    private let manager: DatastoreManager?

    /// One administrator for this run, kept in memory alone.
    package init(name: String, password: String) {
        hashes = Mutex([name: PasswordHash(of: password, iterations: Administrators.memoryIterations)])
        manager = nil
    }

    private init(_ hashes: [String: PasswordHash], manager: DatastoreManager) {
        self.hashes = Mutex(hashes)
        self.manager = manager
    }

    /// Rounds for a hash that is never stored: what they would hinder, reading the disk, finds nothing.
    private static let memoryIterations = 10_000

    private static let settingsKey = "administrators"

    /// The administrators that are kept; on the first start one is made.
    ///
    /// - Parameter announce: Told the name and password of a new administrator, once: only the hash is kept.
    package static func kept(
        by manager: DatastoreManager, announce: (_ name: String, _ password: String) -> Void
    ) async throws -> Administrators {
        if let stored = try await manager.setting(settingsKey) {
            return Administrators(try hashes(in: stored), manager: manager)
        }
        let password = randomPassword()
        let made = Administrators([:], manager: manager)
        try await made.set("admin", to: PasswordHash(of: password))
        announce("admin", password)
        return made
    }

    private static func hashes(in stored: [UInt8]) throws -> [String: PasswordHash] {
        var hashes: [String: PasswordHash] = [:]
        for (name, value) in try JSONValue(parsing: stored).objectValue ?? [:] {
            guard let hash = value.stringValue.flatMap({ PasswordHash($0) }) else {
                throw StoreError(
                    .corrupt, "the stored password of the administrator \(name) cannot be read. Start with --admin.")
            }
            hashes[name] = hash
        }
        return hashes
    }

    /// The password of an administrator; `nil` when there is none of this name.
    func hash(of name: String) -> PasswordHash? { hashes.withLock { $0[name] } }

    /// All of them, in the order of their names.
    var all: [(name: String, hash: PasswordHash)] {
        hashes.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Sets an administrator's password; `nil` removes the administrator.
    func set(_ name: String, to hash: PasswordHash?) async throws {
        let stored = hashes.withLock { hashes -> [UInt8] in
            hashes[name] = hash
            var object = JSONObject()
            for (name, hash) in hashes { object[name] = .string(hash.description) }
            return JSONValue.object(object).jsonBytes()
        }
        try await manager?.setSetting(Administrators.settingsKey, to: stored)
    }

    /// Twenty characters without look-alikes: about 115 bits.
    package static func randomPassword() -> String {
        let alphabet = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return String((0..<20).map { _ in alphabet.randomElement()! })
    }
}
