//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The user context that is passed to validations of design documents: CouchDB's `userCtx`.
public struct UserContext: Hashable, Sendable {
    /// The user's name; `nil` for an anonymous user.
    public var name: String?
    /// The user's roles.
    public var roles: [String]

    /// Creates a user context.
    public init(name: String?, roles: [String] = []) {
        self.name = name
        self.roles = roles
    }

    /// An anonymous administrator. In an app, this is the owner of the device, as in PouchDB.
    public static let administrator = UserContext(name: nil, roles: ["_admin"])

    /// Returns the context as JSON.
    ///
    /// - Parameter database: The name of the database that is written to.
    package func json(in database: String) -> [UInt8] {
        let context: JSONValue = [
            "db": .string(database), "name": name.map { .string($0) } ?? .null,
            "roles": .array(roles.map { .string($0) }),
        ]
        return context.jsonBytes()
    }
}
