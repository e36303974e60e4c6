//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Who writes, as validations of design documents are told it: CouchDB's `userCtx`.
public struct UserContext: Hashable, Sendable {
    /// The user's name; `nil` for nobody in particular.
    public var name: String?
    /// The user's roles.
    public var roles: [String]

    /// Creates a user.
    public init(name: String?, roles: [String] = []) {
        self.name = name
        self.roles = roles
    }

    /// Nobody in particular, who may do all: the owner of the device, as PouchDB takes it too.
    public static let administrator = UserContext(name: nil, roles: ["_admin"])

    /// The context in JSON.
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
