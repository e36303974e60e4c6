//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The session of a user: the token and the address of the account.
struct SwiftSession: Sendable {
    /// The time before the end of a token at which it is renewed, in seconds.
    private static let marginSeconds = 60.0

    /// The token, which is sent with each request.
    let token: String
    /// The address of the account.
    let address: ServiceAddress
    /// The end of the token, in seconds since 1970.
    let end: Double

    /// Whether the token is valid for some time.
    var isValid: Bool { Double(ServiceTime.now) < end - SwiftSession.marginSeconds }
}
