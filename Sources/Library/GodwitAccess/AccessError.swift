//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitTransport

/// An error of a login or of a session.
public struct AccessError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. Later versions may add kinds. Therefore, a `switch` over kinds needs a default case.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The server cannot be reached. The same call may succeed later.
        public static let network = Code(description: "network")
        /// The server or the provider is overloaded or fails. The same call may succeed later.
        public static let unavailable = Code(description: "unavailable")
        /// The name, the password, the token or the answer to a challenge is wrong, or the server does not permit the
        /// login.
        public static let refused = Code(description: "refused")
        /// The login needs a second factor: call the login method again with a code.
        public static let secondFactorRequired = Code(description: "secondFactorRequired")
        /// Another account has the name.
        public static let nameTaken = Code(description: "nameTaken")
        /// No user is logged in, or the session has ended. The user has to log in.
        public static let loggedOut = Code(description: "loggedOut")
        /// An administrator has blocked the account or the device.
        public static let blocked = Code(description: "blocked")
        /// The device was reported lost, and the app's data on it is deleted.
        public static let deviceLost = Code(description: "deviceLost")
        /// The server does not serve this version of the app. If the server sent the URL of the current version, this
        /// URL is in ``AccessError/url``.
        public static let versionRefused = Code(description: "versionRefused")
        /// The ``AuthenticationDelegate`` ended the login, or the task was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// The server refuses the request, or this version of Godwit does not know the server's answer.
        public static let failed = Code(description: "failed")
        /// The session cannot be stored on this device.
        public static let storage = Code(description: "storage")
    }

    /// The kind of error.
    public let code: Code
    /// The message, a sentence that an app may show. Contains no secret.
    public let message: String
    /// A URL that helps the user, such as the URL of the current version of the app; `nil` if there is none.
    public let url: String?
    /// The seconds to wait before the same call is repeated; `nil` if the server did not specify a time.
    public let retryAfterSeconds: Double?

    /// The message.
    public var description: String { message }

    init(_ code: Code, _ message: String, url: String? = nil, retryAfterSeconds: Double? = nil) {
        (self.code, self.message, self.url) = (code, message, url)
        self.retryAfterSeconds = retryAfterSeconds
    }

    static let loggedOut = AccessError(.loggedOut, "No user is logged in. Log in again.")
    static let deviceLost = AccessError(
        .deviceLost, "This device was reported lost, and the data of the app on it is deleted.")

    /// Creates the error for an answer of the server whose status is not a success.
    init(status: Int, _ answer: JSONValue, retryAfterSeconds: Double?) {
        let code: Code =
            switch (status, answer["error"]?.stringValue) {
            // The answer is not JSON. It may come from a proxy, or from the login page of a wireless network, instead
            // of the server. Therefore it does not mean that the session has ended.
            case (_, nil): .unavailable
            case (401, "second_factor_required"): .secondFactorRequired
            case (403, "account_blocked"), (403, "device_blocked"): .blocked
            case (403, "device_lost"): .deviceLost
            case (403, "version_refused"): .versionRefused
            case (401, _), (403, _): .refused
            case (409, "conflict"): .nameTaken
            case (408, _), (429, _), (500, _), (502..., _): .unavailable
            default: .failed
            }
        self.init(
            code,
            answer["reason"].map { $0.stringValue ?? $0.jsonText() }
                ?? "The server answered with the status \(status).",
            url: answer["url"]?.stringValue, retryAfterSeconds: retryAfterSeconds)
    }

    /// Creates the error for a request without an answer.
    init(_ error: ReplicationError) {
        switch error.code {
        case .network, .untrusted: self.init(.network, error.message)
        case .cancelled: self.init(.cancelled, error.message)
        default: self.init(.failed, error.message)
        }
    }

    /// The error for a replication or another request that could not get a token because of this error.
    var replicationError: ReplicationError {
        switch code {
        case .network: ReplicationError(.network, message)
        case .cancelled: ReplicationError(.cancelled, message)
        case .unavailable:
            ReplicationError(.peerFailed, message, status: 503, retryAfterSeconds: retryAfterSeconds)
        default: ReplicationError(.unauthorized, message, status: 401)
        }
    }
}
