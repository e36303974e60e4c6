//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason why a message was not sent.
public struct MailError: Error, Equatable, Sendable {
    /// The kind of failure.
    public enum Code: String, Sendable {
        /// libcurl is not installed.
        case libraryMissing
        /// The server cannot be reached, its certificate cannot be verified, or the server refuses TLS or the login.
        case unreachable
        /// The server refuses the message, or another step that is not the login, with a code 4xx. Such a failure is
        /// temporary.
        case refusedForNow
        /// The server refuses the message, or another step that is not the login, with a code 5xx. Such a failure is
        /// permanent.
        case refused
    }

    /// The kind of failure.
    public let code: Code
    /// The description of the failure, without passwords.
    public let message: String

    /// Whether the same message may be accepted later.
    public var mayRetry: Bool { code == .unreachable || code == .refusedForNow }

    /// The code of libcurl's error when the server refuses the login.
    private static let loginDenied = 67

    /// Creates an error from an error of libcurl.
    ///
    /// - Parameter status: The code of the server's last reply; 0 if there was no reply.
    init(curlCode: Int, status: Int, _ text: String) {
        switch (curlCode, status) {
        case (-1, _):
            code = .libraryMissing
            message = "libcurl is not installed. On Debian and Ubuntu: apt-get install libcurl4"
        case (MailError.loginDenied, _):
            code = .unreachable
            message = "The mail server refuses the login. Check the user and the password."
        case (_, 400..<500):
            code = .refusedForNow
            message = "The mail server refuses the message for now (\(status))."
        case (_, 500..<600):
            code = .refused
            message = "The mail server refuses the message (\(status))."
        default:
            code = .unreachable
            message = "The mail server cannot be used: \(text)."
        }
    }
}
