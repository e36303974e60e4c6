//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of applications, accounts and consolidation.
public enum BackendLimits {
    /// The maximum length of a file that declares an application, in bytes.
    public static let applicationFileBytesMax = 4 << 20

    /// The maximum length of an application's id, in bytes.
    public static let applicationIDBytesMax = 100

    /// The maximum length of a user's name, in bytes.
    public static let userNameBytesMax = 100

    /// The maximum length of a password, in bytes.
    public static let passwordBytesMax = 1_024

    /// The default of ``Application/registrationsPerMinute``, the maximum number of registrations from one network in a
    /// minute.
    public static let registrationsPerMinute = 10

    /// The maximum value of ``Application/registrationsPerMinute``.
    public static let registrationsPerMinuteMax = 1_000_000

    /// The greatest minimum length of passwords that an application may require, in characters.
    public static let passwordLengthMinMax = 64

    /// The maximum number of clients whose requests of one kind are counted at the same time. The maximum applies to
    /// all applications together.
    static let rateClientsMax = 100_000

    /// The time for which requests are counted, in seconds.
    public static let rateSeconds = 60.0

    /// The maximum number of devices on which a user is logged in. A further device replaces the least recently used
    /// device.
    public static let devicesMax = 32

    /// The maximum length of the id that an app chooses for a device, in bytes.
    public static let deviceIDBytesMax = 64

    /// The maximum length of each detail of a device except its id, in bytes: its name, platform, model and system.
    public static let deviceTextBytesMax = 200

    /// The maximum number of accounts in one response.
    static let listedAccountsMax = 1_000
    /// The number of accounts that are read at a time to find the one whose member has exactly a text. An index treats
    /// some different texts as equal.
    static let accountsFoundTogetherMax = 100

    /// The maximum number of mails that one network can request in a minute.
    static let mailsPerMinute = 10

    /// The maximum number of attempts in a minute in which one network sends a token or a code that a mail contains.
    static let mailUsesPerMinute = 30

    /// The maximum number of mails that one address gets in an hour.
    static let mailsPerRecipientAndHour = 5

    /// The maximum number of mails that wait to be sent.
    static let mailsWaitingMax = 10_000

    /// The delays before a mail that the server did not accept is sent again, in seconds.
    static let mailRetrySeconds = [10, 60, 600]

    /// The number of wrong codes for an account, from all networks together, after which all codes for this account are
    /// refused for ``codeFailureSeconds``. A code comes from a mail or from a second factor.
    static let codeFailuresMax = 30
    static let codeFailureSeconds = 900.0

    /// The maximum number of mails to new addresses that one account can request in an hour.
    static let mailsPerAccountAndHour = 10

    /// Two limits for the mails of one application: the maximum number that are sent at the same time, and the maximum
    /// number that wait.
    static let applicationMailsTogetherMax = 2
    static let applicationMailsWaitingMax = 2_000

    /// The maximum number of mails of all applications that are sent at the same time.
    static let mailsTogetherMax = 4

    /// The maximum number of logins that wait for one provider of an application.
    static let loginsOfProviderTogetherMax = 16

    /// The maximum length of an app's version, in bytes.
    static let versionBytesMax = 64

    /// The maximum lengths, in bytes, of values that a provider reports: a name, the URL of a picture, and a value of
    /// the claim for roles. Longer values are ignored.
    static let displayNameBytesMax = 200
    static let pictureBytesMax = 2_048
    static let rolesClaimBytesMax = 8 << 10

    /// The maximum accepted difference between the clocks of a provider and this server, in seconds.
    static let clockSkewSecondsMax = 600

    /// The maximum number of providers of an application.
    static let providersMax = 32

    /// The maximum number of an application's redirect addresses for logins, and the maximum length of such an address
    /// in bytes.
    static let redirectsMax = 32
    static let redirectBytesMax = 1_000

    /// The maximum length of the state that an app sends with a login in the browser, in bytes.
    static let appStateBytesMax = 1_000

    /// The maximum length of the sealed state of a login in the browser, in bytes.
    static let loginStateBytesMax = 8 << 10

    /// The maximum duration of a login in the browser, in seconds.
    static let loginFlowSeconds = 600

    /// The maximum number of challenges of a login at a realm, and the maximum length of the realm's state, in bytes.
    static let realmRoundsMax = 32
    static let realmStateBytesMax = 5 << 10

    /// The time within which an authenticator must answer a challenge, in seconds.
    static let passkeySeconds = 300

    /// The maximum number of passkeys of an administrator at one domain.
    static let passkeysOfUserMax = 32

    /// The time within which an app may exchange the code of a login, in seconds.
    static let loginCodeSeconds = 120

    /// The maximum number of logins in the browser whose code is not exchanged yet.
    static let loginFlowsMax = 100_000

    /// The maximum number of identifiers that are remembered as used, in each ``UsedOnce``.
    static let usedOnceMax = 100_000

    /// The longest validity of an ID token without a nonce, in seconds.
    static let usedTokenSecondsMax = 86_400

    /// The maximum number of logins with a provider that one network may try in a minute. The number is limited because
    /// the server may send requests to the provider for each login.
    public static let providerLoginsPerMinute = 60

    /// If a login failed because a provider is unavailable, the delay after which the client may repeat the login, in
    /// seconds.
    static let providerRetrySeconds = 30

    /// Two limits for logins that wait for providers at the same time: the maximum number in total, and the maximum
    /// number from one network.
    static let providerLoginsTogetherMax = 64
    static let networkProviderLoginsTogetherMax = 8

    /// The time for which a key signs access tokens before another key replaces it, in seconds.
    public static let signingKeySeconds = 86_400

    /// The lifetime of an access token, in seconds.
    public static let accessSecondsMax = 900

    /// The time in seconds after which a device is logged out if it was not used.
    public static let refreshSecondsMax = 90 * 86_400

    /// The time in seconds for which the previous refresh token is accepted again. The reason is that the response with
    /// the current refresh token may have been lost.
    public static let refreshGraceSeconds = 30

    /// The maximum number of entries of the cache that maps keys to users.
    static let keysKeptMax = 100_000

    /// The maximum length of a request body that concerns accounts, in bytes.
    static let requestBytesMax = 32 << 10

    /// The maximum length of an application's declaration in a request, in bytes.
    static let declarationBytesMax = 1 << 20

    /// The maximum number of databases that are consolidated concurrently.
    static let consolidatedTogetherMax = 64

    /// Two limits for the changes that are read from a database and written in one transaction: the maximum number of
    /// changes, and their maximum size in bytes.
    static let consolidatedChangesMax = 500
    static let consolidatedBytesMax = 2 << 20

    /// The initial and the maximum delay before a failed consolidation is retried, in seconds.
    static let consolidationRetrySeconds = 1.0
    static let consolidationRetrySecondsMax = 300.0

    /// The interval in seconds at which a checkpoint of the consolidation is stored (``ConsolidationQueue``). Without
    /// new changes, nothing is stored.
    static let consolidationCheckpointSeconds = 5.0

    /// The delay before accounts are watched again after their database could not be read, in seconds.
    static let watchRetrySeconds = 1.0

    /// The maximum number of documents that one transaction purges when an account is removed.
    static let purgedTogetherMax = 500
}
