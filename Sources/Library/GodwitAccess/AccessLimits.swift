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

    /// An access token is renewed this number of seconds before it expires.
    static let renewalSeconds = 30

    /// The greatest lifetime of an access token that is accepted from a server, in seconds: ten years.
    static let tokenSecondsMax = 10 * 366 * 86_400

    /// The minimum time, in seconds, between two renewals of a token that are caused by responses with the status 403.
    /// This status usually means that the user lacks a right, and a new token does not change this. Without the
    /// minimum, each such response would cause a renewal.
    static let forbiddenSeconds = 10

    /// The maximum number of challenges that a login answers.
    static let challengesMax = 32

    /// The maximum number of notices that wait in a stream. Older notices are dropped.
    static let noticesWaitingMax = 64
}
