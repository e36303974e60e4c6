//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The stored state of an ``AccessManager``.
struct AccessSession: Equatable, Sendable {
    /// The id of the device, which stays the same for all logins.
    var device = Base64URL.encode(.random(count: 16))
    /// The user who logged in last; `nil` if no user has logged in.
    var user: String?
    /// The name of the user's database.
    var database: String?
    /// The token that continues the session; `nil` if the user is logged out.
    var refreshToken: String?
    /// The realm of the last login; `nil` if the last login was not at a realm.
    var realm: String?

    init() {}

    /// Parses stored bytes; `nil` if they are damaged.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes), let device = value["device"]?.stringValue else { return nil }
        self.device = device
        user = value["user"]?.stringValue
        database = value["database"]?.stringValue
        refreshToken = value["refresh_token"]?.stringValue
        realm = value["realm"]?.stringValue
    }

    var bytes: [UInt8] {
        var object: JSONObject = ["device": .string(device)]
        for (name, text) in [
            ("user", user), ("database", database), ("refresh_token", refreshToken), ("realm", realm),
        ] {
            if let text { object[name] = .string(text) }
        }
        return JSONValue.object(object).jsonBytes()
    }

    /// Removes the secrets and the realm. Because the realm is removed, no login at the realm begins automatically
    /// after a logout.
    mutating func logOut() { (refreshToken, realm) = (nil, nil) }
}
