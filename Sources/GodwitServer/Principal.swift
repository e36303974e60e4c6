//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Who makes a request.
public enum Principal: Equatable, Sendable {
    /// Nobody said who it is.
    case anonymous
    /// An administrator of this server.
    case administrator(name: String)
}

/// Who may use a route.
public enum Access: Sendable {
    /// Anyone, without a login.
    case anyone
    /// Anyone on this machine who asks for it under a loopback name: a page that is open without a login.
    case loopback
    /// Administrators.
    case administrator
}
