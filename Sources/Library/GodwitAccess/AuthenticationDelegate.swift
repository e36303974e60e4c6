//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitJSON

/// Answers the challenges of a realm, usually by showing a form to the user.
///
/// ```swift
/// final class StaffLogin: AuthenticationDelegate {
///     func onAuthenticationChallengeReceived(_ challenge: JSONObject, _ context: AuthenticationContext) {
///         form.show(error: challenge["errorMessage"]?.stringValue) { user, pin in
///             context.submitAnswer(["user": .string(user), "pin": .string(pin)])
///         }
///     }
/// }
/// ```
public protocol AuthenticationDelegate: AnyObject, Sendable {
    /// Called when the server sends a challenge. Call ``AuthenticationContext/submitAnswer(_:)`` or
    /// ``AuthenticationContext/submitFailure()``, during this call or later. After a wrong answer, the server sends
    /// another challenge.
    func onAuthenticationChallengeReceived(_ challenge: JSONObject, _ context: AuthenticationContext)
    /// Called when the login has succeeded.
    func onAuthenticationSuccess(_ login: AccessLogin)
    /// Called when the login has failed.
    func onAuthenticationFailure(_ error: AccessError)
}

extension AuthenticationDelegate {
    /// Does nothing.
    public func onAuthenticationSuccess(_ login: AccessLogin) {}
    /// Does nothing.
    public func onAuthenticationFailure(_ error: AccessError) {}
}

/// Receives the answer to one challenge. Only the first call of one of its methods has an effect.
public final class AuthenticationContext: Sendable {
    private let answers: AsyncStream<JSONObject?>
    private let continuation: AsyncStream<JSONObject?>.Continuation

    init() { (answers, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1)) }

    /// Sends an answer to the server.
    public func submitAnswer(_ answer: JSONObject) { submit(answer) }

    /// Ends the login. The login fails with the code ``AccessError/Code/cancelled``.
    public func submitFailure() { submit(nil) }

    private func submit(_ answer: JSONObject?) {
        continuation.yield(answer)
        continuation.finish()
    }

    /// Waits for the answer. Returns `nil` if the delegate ended the login, or the task was cancelled.
    func answer() async -> JSONObject? {
        for await answer in answers { return answer }
        return nil
    }
}
