//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error of a call that concerns an application or one of its accounts.
public struct AccountError: Error, Equatable, Sendable {
    /// The kind of failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The server has not started yet.
        case notStarted
        /// The declaration of an application is invalid.
        case invalidApplication
        /// The application does not exist.
        case applicationNotFound
        /// The caller is not allowed to do this.
        case notAllowed
        /// The name of a user is not valid.
        case invalidName
        /// The password is not valid, or the application's rules refuse it.
        case invalidPassword
        /// A user of this name exists.
        case userExists
        /// The user does not exist.
        case userNotFound
        /// A database with the name of the new user's database exists already.
        case databaseExists
        /// Too many accounts were registered from one network.
        case tooManyRegistrations
        /// The user is not logged in. The password is wrong, or the token is unknown, already used or expired, or the
        /// request contains no credentials.
        case notLoggedIn
        /// An administrator has blocked the account.
        case accountBlocked
        /// The server does not serve this version of the app.
        case versionRefused
        /// The user is not logged in on a device with this id.
        case deviceNotFound
        /// The details of a device are too long, or its id is not valid.
        case invalidDevice
        /// The user or an administrator has blocked the device.
        case deviceBlocked
        /// The user or an administrator has reported the device lost. The app must delete its data on the device.
        case deviceLost
        /// The application has no provider of this name.
        case providerNotFound
        /// The provider does not confirm the login. This error is also thrown when the state or the code of a login is
        /// wrong, already used or expired.
        case loginRefused
        /// The provider cannot be reached or fails.
        case providerUnavailable
        /// The provider's settings are wrong or incomplete.
        case providerMisconfigured
        /// The redirect address of a login is not permitted.
        case redirectRefused
        /// The identity is linked to another account, or the account has another identity of this provider.
        case identityTaken
        /// Too many requests of this kind were made, for example from one network.
        case tooManyRequests
        /// The login needs a second factor.
        case secondFactorRequired
        /// The account already has an active second factor.
        case secondFactorExists
        /// The application has no mail settings.
        case mailNotConfigured
        /// The text is not an e-mail address.
        case invalidAddress
        /// Another account has the e-mail address.
        case addressTaken
        /// The account was changed at the same time.
        case changedMeanwhile
        /// Passkeys cannot be used at the host name of the request.
        case passkeysUnavailable
    }

    /// The kind of failure.
    public let code: Code
    /// A sentence that describes the failure.
    public let message: String
    /// The number of seconds after which the same call may succeed; `nil` when waiting does not help.
    public let retrySeconds: Int?
    /// A URL that helps the user, for example the URL of the app's current version; `nil` for none.
    public let url: String?

    init(_ code: Code, _ message: String, retrySeconds: Int? = nil, url: String? = nil) {
        (self.code, self.message, self.retrySeconds, self.url) = (code, message, retrySeconds, url)
    }

    static func invalidApplication(_ reason: String) -> AccountError {
        AccountError(.invalidApplication, "The application is not valid: \(reason).")
    }

    static func notAllowed(_ reason: String) -> AccountError { AccountError(.notAllowed, reason) }

    static func notLoggedIn(_ reason: String) -> AccountError { AccountError(.notLoggedIn, reason) }

    static let accountBlocked = AccountError(.accountBlocked, "This account is blocked.")
    static let userExists = AccountError(.userExists, "User already exists")
    static let userNotFound = AccountError(.userNotFound, "No user has this name.")

    /// Creates the error for a version of the app that the server does not serve. The error contains the application's
    /// notice for such versions.
    static func versionRefused(by application: Application) -> AccountError {
        let notice = application.versions.refusal
        return AccountError(.versionRefused, notice.message, url: notice.url)
    }
}
