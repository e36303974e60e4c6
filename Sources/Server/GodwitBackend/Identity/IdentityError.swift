//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error of a login with an identity provider.
public struct IdentityError: Error, Equatable, Sendable {
    /// The kind of failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The provider does not confirm the login. The token or the code is wrong, has expired, was already used, or
        /// belongs to another app.
        case refused
        /// The provider cannot be reached, reports a failure on its side, or sends an unreadable response. The same
        /// login may succeed later.
        case unavailable
        /// According to the clock of this server, the token was issued in the future, or becomes valid only in the
        /// future. For an expired token, the code is ``refused`` instead.
        case clockDiffers
        /// The settings of the provider are wrong or incomplete, or do not support this kind of login.
        case misconfigured
    }

    /// The kind of failure.
    public let code: Code
    /// A sentence that describes the failure, with advice. It contains no token and no secret.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        (self.code, self.message) = (code, message)
    }

    static func refused(_ reason: String) -> IdentityError { IdentityError(.refused, reason) }

    static func unavailable(_ provider: String, _ reason: String) -> IdentityError {
        IdentityError(.unavailable, "\(provider) \(reason). Try again later.")
    }
}
