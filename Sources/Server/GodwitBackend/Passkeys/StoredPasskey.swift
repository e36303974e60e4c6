//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore

/// A passkey of an administrator of the server. It is stored as a setting, together with the databases.
struct StoredPasskey: Equatable, Sendable {
    static let prefix = "passkey/"

    var passkey: Passkey
    /// The administrator's name.
    let user: String
    /// The name that the administrator gave the passkey.
    let label: String
    /// The domain for which the passkey was created.
    let domain: String
    /// The time at which the passkey was created, and the time at which it was last used, in seconds since 1970.
    let created: Int
    var used: Int

    init(_ passkey: Passkey, of user: String, label: String, domain: String, now: Int) {
        (self.passkey, self.user, self.label, self.domain) = (passkey, user, label, domain)
        (created, used) = (now, now)
    }

    /// Parses stored bytes; `nil` if they are damaged.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes), let id = value["id"]?.stringValue.flatMap(Base64URL.decode),
            let key = value["public_key"]?.stringValue.flatMap(Base64URL.decode), let user = value["user"]?.stringValue,
            let created = value["created"]?.intValue, let used = value["used"]?.intValue
        else { return nil }
        let count = value["signatures"]?.intValue.flatMap { UInt32(exactly: $0) } ?? 0
        passkey = Passkey(id: id, publicKey: key, signatureCount: count)
        (self.user, label) = (user, value["name"]?.stringValue ?? "")
        domain = value["domain"]?.stringValue ?? ""
        (self.created, self.used) = (created, used)
    }

    /// The passkey's id as text.
    var id: String { Base64URL.encode(passkey.id) }

    /// The key of the setting.
    var key: String { StoredPasskey.prefix + id }

    /// The members that an administrator sees.
    var json: JSONObject {
        [
            "id": .string(id), "name": .string(label), "user": .string(user), "domain": .string(domain),
            "created": .integer(Int64(created)), "used": .integer(Int64(used)),
        ]
    }

    /// The stored bytes.
    var bytes: [UInt8] {
        var object = json
        object["public_key"] = .string(Base64URL.encode(passkey.publicKey))
        object["signatures"] = .integer(Int64(passkey.signatureCount))
        return JSONValue.object(object).jsonBytes()
    }
}

extension Backend {
    /// The passkeys of all administrators.
    var passkeys: [StoredPasskey] {
        get async throws {
            try await manager.settings(beginningWith: StoredPasskey.prefix).compactMap { StoredPasskey($0.value) }
        }
    }

    /// Returns a passkey; `nil` if it does not exist or is damaged.
    func passkey(_ id: String) async throws -> StoredPasskey? {
        try await manager.setting(StoredPasskey.prefix + id).flatMap { StoredPasskey($0) }
    }

    /// Removes a passkey.
    func remove(_ passkey: StoredPasskey) async throws {
        // The lock is necessary because a login with the passkey stores the passkey again. Without the lock, a
        // concurrent login could store the removed passkey.
        try await accountLock.withLock(passkey.key) { try await manager.removeSetting(passkey.key) }
    }
}
