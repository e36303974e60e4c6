//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitJSON
package import GodwitStore

/// The administrators of a server: given for this run, or kept as hashes beside the databases.
package struct Administrators: Sendable {
    let hashes: [String: PasswordHash]

    /// One administrator for this run, kept in memory alone.
    package init(name: String, password: String) { hashes = [name: PasswordHash(of: password)] }

    private init(hashes: [String: PasswordHash]) { self.hashes = hashes }

    private static let settingsKey = "administrators"

    /// The administrators that are kept; on the first start one is made.
    ///
    /// - Parameter announce: Told the name and password of a new administrator, once: only the hash is kept.
    package static func kept(
        by manager: DatastoreManager, announce: (_ name: String, _ password: String) -> Void
    ) async throws -> Administrators {
        if let stored = try await manager.setting(settingsKey) { return try Administrators(stored) }
        let password = randomPassword()
        let made = Administrators(name: "admin", password: password)
        try await manager.setSetting(settingsKey, to: made.stored)
        announce("admin", password)
        return made
    }

    private init(_ stored: [UInt8]) throws {
        let object = try JSONValue(parsing: stored).objectValue ?? [:]
        var hashes: [String: PasswordHash] = [:]
        for (name, value) in object {
            guard let hash = value.stringValue.flatMap({ PasswordHash($0) }) else {
                throw StoreError(
                    .corrupt, "the stored password of the administrator \(name) cannot be read. Start with --admin.")
            }
            hashes[name] = hash
        }
        self.init(hashes: hashes)
    }

    private var stored: [UInt8] {
        var object = JSONObject()
        for (name, hash) in hashes { object[name] = .string(hash.description) }
        return JSONValue.object(object).jsonBytes()
    }

    /// Twenty characters without look-alikes: about 115 bits.
    package static func randomPassword() -> String {
        let alphabet = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return String((0..<20).map { _ in alphabet.randomElement()! })
    }
}
