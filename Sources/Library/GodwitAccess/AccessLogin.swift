//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The result of a login.
public struct AccessLogin: Equatable, Sendable {
    /// The user's name.
    public let user: String
    /// The name of the user's database on the server.
    public let database: String
    /// The name of a key for clients of CouchDB that support only names and passwords.
    public let key: String
    /// The password of the key.
    public let keyPassword: String

    init(_ answer: JSONValue) throws(AccessError) {
        guard let user = answer["name"]?.stringValue, let database = answer["database"]?.stringValue,
            let key = answer["api_key"]?.stringValue, let keyPassword = answer["api_password"]?.stringValue
        else { throw AccessError(.failed, "The server's answer to the login is incomplete.") }
        (self.user, self.database, self.key, self.keyPassword) = (user, database, key, keyPassword)
    }
}
