//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The identity at a provider with which a user can log in.
struct LinkedIdentity: Equatable, Sendable {
    /// The identifier of the user at the provider.
    let subject: String
    /// The e-mail address at the provider; `nil` when it is unknown.
    var email: String?
    /// The user's roles in the application that result from the provider's claims.
    var roles: [String] = []
    /// The time at which it was linked, in milliseconds since 1970.
    let linkedMilliseconds: Int64

    init(subject: String, linkedMilliseconds: Int64) {
        (self.subject, self.linkedMilliseconds) = (subject, linkedMilliseconds)
    }

    /// Parses a member of an account's document; `nil` when it is invalid.
    init?(_ value: JSONValue) {
        guard let subject = value["subject"]?.stringValue else { return nil }
        self.init(subject: subject, linkedMilliseconds: value["linked_at"]?.intValue.map(Int64.init) ?? 0)
        email = value["email"]?.stringValue
        roles = value["roles"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    var json: JSONValue {
        var object: JSONObject = ["subject": .string(subject), "linked_at": .integer(linkedMilliseconds)]
        if let email { object["email"] = .string(email) }
        if !roles.isEmpty { object["roles"] = .array(roles.map { .string($0) }) }
        return .object(object)
    }
}
