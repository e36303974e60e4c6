//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Limits of accounts and of consolidation.
public enum BackendLimits {
    /// The longest file that declares an application, in bytes.
    public static let applicationFileBytesMax = 4 << 20

    /// The longest id of an application, in bytes.
    public static let applicationIDBytesMax = 100

    /// The longest name of a user, in bytes.
    public static let userNameBytesMax = 100

    /// The longest password, in bytes.
    public static let passwordBytesMax = 1_024

    /// Accounts that may be made from one address in a minute, unless the application says otherwise.
    public static let registrationsPerMinute = 10

    /// The most that an application may say for it.
    public static let registrationsPerMinuteMax = 1_000_000

    /// The longest password that an application may ask for, in characters.
    public static let passwordLengthMinMax = 64

    /// Addresses whose registrations are counted at a time, of all applications.
    static let registrationNetworksMax = 100_000

    /// For how long registrations are counted, in seconds.
    static let registrationSeconds = 60.0

    /// Devices on which a user is logged in; of more the one goes that was not used for longest.
    public static let devicesMax = 32

    /// How long a token stands for a user, in seconds.
    public static let accessSecondsMax = 900

    /// How long a device stays logged in that does not come back, in seconds.
    public static let refreshSecondsMax = 90 * 86_400

    /// How long the token before the last is taken once more, in seconds: the answer with the last may have been lost.
    public static let refreshGraceSeconds = 30

    /// Keys whose users are kept in memory.
    static let keysKeptMax = 100_000

    /// The longest body of a request about accounts, in bytes.
    static let requestBytesMax = 16 << 10

    /// The longest declaration of an application, in bytes.
    static let declarationBytesMax = 1 << 20

    /// Databases that are consolidated at a time.
    static let consolidatedTogetherMax = 64

    /// Changes of one database that are read and written at a time, in number and bytes.
    static let consolidatedChangesMax = 500
    static let consolidatedBytesMax = 2 << 20

    /// How long a database waits that could not be consolidated, in seconds: at first, and at most.
    static let consolidationRetrySeconds = 1.0
    static let consolidationRetrySecondsMax = 300.0

    /// How often the place in the journal of databases is kept while there is work, in seconds.
    static let consolidationNoteSeconds = 5.0

    /// How long accounts are not watched after their database could not be read, in seconds.
    static let watchRetrySeconds = 1.0

    /// Documents that are purged at a time when an account goes.
    static let purgedTogetherMax = 500
}
