//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The session of a user: the token and the address of the account.
struct SwiftSession: Sendable {
    /// A token is renewed this number of seconds before it expires.
    private static let marginSeconds = 60.0

    /// The token, which is sent with each request.
    let token: String
    /// The address of the account.
    let address: ServiceAddress
    /// The time at which the token expires, in seconds since 1970.
    let end: Double

    /// Whether the token remains valid for longer than the margin.
    var isValid: Bool { Double(ServiceTime.now) < end - SwiftSession.marginSeconds }
}
