//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why a call about an application or one of its accounts failed.
public struct AccountError: Error, Equatable, Sendable {
    /// The kind of failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The backend was called before its server started.
        case notStarted
        /// A declaration of an application cannot be.
        case invalidApplication
        /// There is no application of this id.
        case applicationNotFound
        /// The caller may not do this.
        case notAllowed
        /// A user's name breaks a rule.
        case invalidName
        /// A password breaks a rule.
        case invalidPassword
        /// There is a user of this name.
        case userExists
        /// There is no user of this name.
        case userNotFound
        /// A database is there that the new account would have.
        case databaseExists
        /// Too many accounts were made from one network.
        case tooManyRegistrations
        /// A password is wrong, or a token is unknown, used or over.
        case notLoggedIn
        /// An administrator has blocked the account.
        case accountBlocked
        /// This version of the app is not served.
        case versionRefused
        /// No device of this id is logged in.
        case deviceNotFound
        /// The account was changed at the same time.
        case changedMeanwhile
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong, in a sentence.
    public let message: String
    /// Seconds after which the same call may succeed; `nil` when waiting does not help.
    public let retrySeconds: Int?

    init(_ code: Code, _ message: String, retrySeconds: Int? = nil) {
        (self.code, self.message, self.retrySeconds) = (code, message, retrySeconds)
    }

    static func invalidApplication(_ reason: String) -> AccountError {
        AccountError(.invalidApplication, "This is no application: \(reason).")
    }

    static func notAllowed(_ reason: String) -> AccountError { AccountError(.notAllowed, reason) }

    static func notLoggedIn(_ reason: String) -> AccountError { AccountError(.notLoggedIn, reason) }

    static let accountBlocked = AccountError(.accountBlocked, "This account is blocked.")
    static let userExists = AccountError(.userExists, "User already exists")
    static let userNotFound = AccountError(.userNotFound, "There is no user of this name.")
    static let versionRefused = AccountError(
        .versionRefused, "This version of the app is no longer served. Install the current one.")
}
