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
        /// The name of a user breaks a rule.
        case invalidName
        /// The password breaks a rule.
        case invalidPassword
        /// A user of this name exists.
        case userExists
        /// The user does not exist.
        case userNotFound
        /// The database of the new account exists already.
        case databaseExists
        /// Too many accounts were registered from one network.
        case tooManyRegistrations
        /// The password is wrong, or the token is unknown, used or expired.
        case notLoggedIn
        /// An administrator has blocked the account.
        case accountBlocked
        /// The server does not serve this version of the app.
        case versionRefused
        /// The user has no device of this id that is logged in.
        case deviceNotFound
        /// The account was changed at the same time.
        case changedMeanwhile
    }

    /// The kind of failure.
    public let code: Code
    /// The description of the failure, a sentence.
    public let message: String
    /// The number of seconds after which the same call may succeed; `nil` when waiting does not help.
    public let retrySeconds: Int?

    init(_ code: Code, _ message: String, retrySeconds: Int? = nil) {
        (self.code, self.message, self.retrySeconds) = (code, message, retrySeconds)
    }

    static func invalidApplication(_ reason: String) -> AccountError {
        AccountError(.invalidApplication, "The application is not valid: \(reason).")
    }

    static func notAllowed(_ reason: String) -> AccountError { AccountError(.notAllowed, reason) }

    static func notLoggedIn(_ reason: String) -> AccountError { AccountError(.notLoggedIn, reason) }

    static let accountBlocked = AccountError(.accountBlocked, "This account is blocked.")
    static let userExists = AccountError(.userExists, "User already exists")
    static let userNotFound = AccountError(.userNotFound, "No user has this name.")
    static let versionRefused = AccountError(
        .versionRefused, "This version of the app is no longer supported. Install the current version.")
}
