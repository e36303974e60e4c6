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

    /// The default of the accepted difference between the clocks of a provider and this server, in seconds.
    public static let clockSkewSeconds = 60

    /// The time for which a provider's keys and addresses are used before they are read again, in seconds.
    static let keysSeconds = 3_600

    /// The maximum age, in seconds, of keys and addresses that are used while the provider cannot be reached.
    static let staleKeysSecondsMax = 86_400

    /// The minimum time, in seconds, after which a provider's keys are read again because a token names an unknown key.
    /// Without this limit, tokens with invented key identifiers would make the server send requests.
    static let unknownKeySeconds = 30

    /// The maximum number of an issuer's keys that are used; further keys are ignored.
    static let keysMax = 100

    /// The lifetime of the secret that is signed for Apple, in seconds.
    static let clientSecretSeconds = 300
}
