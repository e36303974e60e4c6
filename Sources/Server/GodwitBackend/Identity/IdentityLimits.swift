//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of logins with identity providers.
public enum IdentityLimits {
    /// The maximum length of a provider's response, in bytes.
    static let responseBytesMax = 1 << 20

    /// The time limit of a request to a provider, in seconds.
    static let requestSecondsMax = 10

    /// The maximum length of a token or code, in bytes.
    public static let tokenBytesMax = 16 << 10

    /// The default of ``ProviderSettings/clockSkewSeconds``, the accepted difference between the clocks of a provider
    /// and of this server, in seconds.
    public static let clockSkewSeconds = 60

    /// The time for which a provider's keys and addresses are used before they are read again, in seconds.
    static let keysSeconds = 3_600

    /// While the provider cannot be reached, its keys and addresses are used until they have this age, in seconds.
    static let staleKeysSecondsMax = 86_400

    /// When a token names an unknown key, the provider's keys are read again. This is the minimum time between two such
    /// reads, in seconds. Without this limit, an attacker could make the server send requests with tokens that name
    /// invented keys.
    static let unknownKeySeconds = 30

    /// The maximum number of an issuer's keys that are used; further keys are ignored.
    static let keysMax = 100

    /// The lifetime of the client secret for Apple, which is a signed token, in seconds.
    static let clientSecretSeconds = 300
}
