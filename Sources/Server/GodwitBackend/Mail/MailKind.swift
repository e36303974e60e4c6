//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The kinds of mail that an application sends to its users.
enum MailKind: String, Sendable, CaseIterable {
    /// Asks the user to confirm the address of the account.
    case verification
    /// Lets the user set a new password.
    case reset
    /// Asks the user to confirm a new address of the account.
    case change
    /// Contains a code with which the user logs in.
    case login
    /// Informs the old address that the account has a new address.
    case changed

    /// The time for which the token in the mail is valid, in seconds.
    var secondsMax: Int {
        switch self {
        case .verification, .change, .changed: 86_400
        case .reset: 3_600
        case .login: 600
        }
    }
}
