//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer

/// A device on which a user logged in.
struct Device: Equatable, Sendable {
    /// The state of a device, which decides whether the server serves the device.
    enum State: String, Sendable, CaseIterable {
        case active
        /// The user or an administrator has blocked the device. Its requests are refused.
        case blocked
        /// The user lost the device. At the device's next request, the server orders it to delete the app's data.
        case lost
        /// The lost device has reported that it deleted the app's data.
        case wiped
    }

    let id: String
    var details: DeviceDetails
    /// The app's version.
    var version: String?
    let since: Int64
    /// The time of its last login or refresh, in seconds since 1970.
    var used: Int64
    var state = State.active
    /// The identifier of the device's current login. The access tokens of the device contain this identifier.
    var loginID = ""
    /// The time of the login or, after that, of the last use of a refresh token that was the current one, in seconds
    /// since 1970.
    var rotated: Int64 = 0
    /// The digest of its current refresh token. It is empty if the device has no session, for example after it was
    /// wiped.
    var digest: [UInt8] = []
    /// The digest of its previous refresh token; empty if the first token of the login is still the current one.
    var formerDigest: [UInt8] = []
    /// All refresh tokens of a login begin with the same secret. This is the digest of that secret for the current
    /// login; empty for a wiped device.
    var loginDigest: [UInt8] = []
    /// The hash of the password of the device's API key; `nil` when the device has no API key.
    var keyHash: PasswordHash?
}

extension Device {
    /// Parses a device in a stored list; `nil` when its JSON is invalid.
    init?(_ value: JSONValue) {
        guard let id = value["id"]?.stringValue, let name = value["name"]?.stringValue,
            let since = value["since"]?.intValue, let used = value["used"]?.intValue
        else { return nil }
        let details = DeviceDetails(
            id: id, name: name, platform: value["platform"]?.stringValue, model: value["model"]?.stringValue,
            system: value["system"]?.stringValue)
        self.init(
            id: id, details: details, version: value["version"]?.stringValue, since: Int64(since), used: Int64(used))
        // An unknown state, which a newer version of Godwit wrote, is treated as `blocked`.
        state = value["state"]?.stringValue.map { State(rawValue: $0) ?? .blocked } ?? .active
        digest = value["digest"]?.stringValue.flatMap { [UInt8](hexadecimal: $0.utf8) } ?? []
        formerDigest = value["former_digest"]?.stringValue.flatMap { [UInt8](hexadecimal: $0.utf8) } ?? []
        loginDigest = value["login_digest"]?.stringValue.flatMap { [UInt8](hexadecimal: $0.utf8) } ?? []
        loginID = value["login"]?.stringValue ?? ""
        rotated = value["rotated"]?.intValue.map(Int64.init) ?? Int64(used)
        keyHash = value["key_hash"]?.stringValue.flatMap { PasswordHash($0) }
    }

    /// The members that the user sees.
    var json: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "name": .string(details.name), "since": .integer(since), "used": .integer(used),
            "state": .string(state.rawValue),
        ]
        for (name, value) in [
            ("platform", details.platform), ("model", details.model), ("system", details.system), ("version", version),
        ] {
            if let value { object[name] = .string(value) }
        }
        return object
    }

    /// The stored members.
    var stored: JSONValue {
        var object = json
        object["digest"] = .string(digest.hexadecimal)
        object["login"] = .string(loginID)
        object["login_digest"] = .string(loginDigest.hexadecimal)
        object["rotated"] = .integer(rotated)
        object["former_digest"] = .string(formerDigest.hexadecimal)
        if let keyHash { object["key_hash"] = .string(keyHash.description) }
        return .object(object)
    }
}
