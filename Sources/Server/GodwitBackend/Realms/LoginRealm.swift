//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

/// A custom way to log in, which the program of the server implements. In each round, the realm sends a challenge, and
/// the user of the app answers it. The number of rounds is not fixed.
///
/// A realm belongs to a provider of kind `custom`. The rules for linking, for roles and for profiles are the same as
/// for other providers.
///
/// ```swift
/// struct Staff: LoginRealm {
///     func step(after answer: JSONObject?, state: JSONObject) async throws -> RealmStep {
///         guard let answer else { return .challenge(["authRequired": true], state: [:]) }
///         guard let user = answer["user"]?.stringValue, let member = try await directory.member(user, answer["pin"])
///         else {
///             return .wrongAnswer(
///                 of: answer["user"]?.stringValue ?? "", ["errorMessage": "Invalid login credentials"], state: [:])
///         }
///         return .success(Identity(subject: member.id))
///     }
/// }
/// let backend = Backend(manager: manager, realms: ["staff": Staff()])
/// ```
public protocol LoginRealm: Sendable {
    /// Returns the next step of a login. If this method throws an error, the error is logged, and the client gets a
    /// response with status 503.
    ///
    /// - Parameters:
    ///   - answer: The client's answer to the last challenge; `nil` at the beginning.
    ///   - state: The state of the last challenge; empty at the beginning. The client cannot read or change it.
    func step(after answer: JSONObject?, state: JSONObject) async throws -> RealmStep
}

/// The next step of a login at a ``LoginRealm``.
public enum RealmStep: Sendable {
    /// The client must answer a challenge.
    ///
    /// - Parameters:
    ///   - state: Values for the next step, of at most 4 KB as JSON. They are sent encrypted through the client. Each
    ///     state is accepted once, within ten minutes.
    ///   - of: The user who must answer; `nil` if the user is unknown. After too many wrong answers for this user from
    ///     the client's network, further answers are refused for some time, without calling the realm. Therefore, an
    ///     attacker cannot find the right answer by trying all answers.
    case challenge(JSONObject, state: JSONObject, of: String? = nil)
    /// The answer was wrong. The client must answer another challenge.
    ///
    /// - Parameter of: The user. Wrong answers for this user are counted for each address and are slowed down, like
    ///   wrong passwords. Use the same text as for ``Identity/subject``. Otherwise, a right answer would succeed
    ///   although the user is locked.
    case wrongAnswer(of: String, JSONObject, state: JSONObject)
    /// The login succeeds for the user with this identity.
    case success(Identity)
    /// The login fails. The value is the reason, a sentence that the client may show.
    case failure(String)
}
