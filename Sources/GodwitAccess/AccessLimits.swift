//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of an ``AccessManager``.
enum AccessLimits {
    /// The maximum length of a server's answer, in bytes.
    static let answerBytesMax = 256 << 10

    /// The maximum length of a stored session, in bytes.
    static let sessionBytesMax = 64 << 10

    /// The time limit of a request, in seconds.
    static let requestSecondsMax = 30

    /// The time, in seconds, before the expiry of an access token at which the token is renewed.
    static let renewalSeconds = 30

    /// The minimum time between two renewals that responses with the status 403 cause, in seconds. A response with this
    /// status usually means that the user does not have a right, and a new token does not change that.
    static let forbiddenSeconds = 10

    /// The maximum number of challenges that a login answers.
    static let challengesMax = 32

    /// The maximum number of notices that wait in a stream. Older notices are dropped.
    static let noticesWaitingMax = 64
}
