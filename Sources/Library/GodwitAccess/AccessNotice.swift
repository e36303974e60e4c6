//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An event of a session that an app shows to its user.
public enum AccessNotice: Equatable, Sendable {
    /// The server will soon stop serving this version of the app.
    case versionWarning(message: String, url: String?)
    /// The server does not serve this version of the app.
    case versionRefused(message: String, url: String?)
    /// The session has ended. The user has to log in.
    case loggedOut
    /// An administrator has blocked the account or the device.
    case blocked(message: String)
    /// The device was reported lost, and the app's data on it is deleted.
    case wiped
    /// The device was reported lost, and some of the app's data could not be deleted. The deletion continues at the
    /// next renewal of the token.
    case wipeFailed(message: String)
}
