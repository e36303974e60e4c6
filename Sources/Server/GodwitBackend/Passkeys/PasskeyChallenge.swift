//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer

/// The challenge of a registration or a login with a passkey. The server does not store the challenge: it sends the
/// challenge to the browser in encrypted form, and the browser sends it back.
struct PasskeyChallenge: Sendable {
    /// The administrator who registers a passkey; `nil` for a login.
    let user: String?
    /// The random bytes that the authenticator signs.
    let bytes: [UInt8]
    /// The time at which the challenge expires, in seconds since 1970.
    let expires: Int

    /// Creates a challenge.
    init(user: String?) {
        (self.user, bytes) = (user, .random(count: 32))
        expires = WallClock.seconds + BackendLimits.passkeySeconds
    }

    /// Opens a sealed challenge, and marks it as used.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/loginRefused`` if the challenge is unknown, is expired,
    ///   was used, or is for another operation or another user.
    init(using sealed: String, _ states: SealedStates, user: String?) throws(AccountError) {
        guard let value = states.open(sealed).flatMap({ try? JSONValue(parsing: $0) }),
            let bytes = value["c"]?.stringValue.flatMap(Base64URL.decode), let expires = value["e"]?.intValue,
            value["u"] == user.map({ .string($0) }), expires > WallClock.seconds,
            states.use(Base64URL.encode(bytes), expires: expires)
        else { throw AccountError(.loginRefused, "This challenge was used before or is too old. Try again.") }
        (self.user, self.bytes, self.expires) = (user, bytes, expires)
    }

    /// Encrypts the challenge.
    func sealed(_ states: SealedStates) throws -> String {
        var object: JSONObject = ["c": .string(Base64URL.encode(bytes)), "e": .integer(Int64(expires))]
        if let user { object["u"] = .string(user) }
        return try states.seal(JSONValue.object(object).jsonBytes())
    }
}
