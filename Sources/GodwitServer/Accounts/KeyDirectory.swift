//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Keys with their own passwords, like Cloudant's API keys. They have no document, and only the rights that security
/// objects grant them.
final class KeyDirectory: Sendable {
    /// A key's password is random, about 115 bits: its hash need not be slow.
    private static let iterations = 1_000

    private let manager: DatastoreManager

    init(manager: DatastoreManager) { self.manager = manager }

    private static func setting(_ name: String) -> String { "key/\(name)" }

    /// Creates and stores a key. Its password is returned only here.
    func make() async throws -> (name: String, password: String) {
        let name = "apikey-" + String(DocumentID.random().prefix(24))
        let password = Administrators.randomPassword()
        let hash = PasswordHash(of: password, iterations: KeyDirectory.iterations)
        try await manager.setSetting(KeyDirectory.setting(name), to: Array(hash.description.utf8))
        return (name, password)
    }

    /// Returns the account of a key; `nil` when no key has this name.
    func account(named name: String) async throws -> Account? {
        guard name.hasPrefix("apikey-"), let stored = try await manager.setting(KeyDirectory.setting(name)),
            let hash = PasswordHash(String(decoding: stored, as: UTF8.self))
        else { return nil }
        return Account(name: name, kind: .key, roles: [], hash: hash)
    }
}
