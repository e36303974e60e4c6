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

    /// A response with the status 403 causes a renewal of the token, but only if the token is older than this number of
    /// seconds. The status usually means that the user lacks a right, and a new token does not change this.
    static let forbiddenSeconds = 10

    /// The maximum number of challenges that a login answers.
    static let challengesMax = 32

    /// The maximum number of notices that wait in a stream. Older notices are dropped.
    static let noticesWaitingMax = 64
}
