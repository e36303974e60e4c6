//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Keys with passwords of their own, as Cloudant's API keys: they have no document, and rights only where a security
/// object names them.
final class KeyDirectory: Sendable {
    /// A key's password is random, of about 115 bits: its hash need not be slow.
    private static let iterations = 1_000

    private let manager: DatastoreManager

    init(manager: DatastoreManager) { self.manager = manager }

    private static func setting(_ name: String) -> String { "key/\(name)" }

    /// Makes a key; its password is shown this once.
    func make() async throws -> (name: String, password: String) {
        let name = "apikey-" + String(DocumentID.random().prefix(24))
        let password = Administrators.randomPassword()
        let hash = PasswordHash(of: password, iterations: KeyDirectory.iterations)
        try await manager.setSetting(KeyDirectory.setting(name), to: Array(hash.description.utf8))
        return (name, password)
    }

    /// The account of a key; `nil` when there is none of this name.
    func account(named name: String) async throws -> Account? {
        guard name.hasPrefix("apikey-"), let stored = try await manager.setting(KeyDirectory.setting(name)),
            let hash = PasswordHash(String(decoding: stored, as: UTF8.self))
        else { return nil }
        return Account(name: name, kind: .key, roles: [], hash: hash)
    }
}
