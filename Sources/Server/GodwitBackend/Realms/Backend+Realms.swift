//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import HTTPTypes
import Logging

/// The state of a login at a realm between two rounds. The client stores the state in encrypted form, and sends it with
/// the next answer.
private struct RealmState {
    let id: String
    let application: String
    let provider: String
    /// The number of challenges that the client has answered.
    let rounds: Int
    /// The time at which the state expires, in seconds since 1970.
    let expires: Int
    /// The realm's own state.
    let own: JSONObject
    /// The user who must answer the challenge; `nil` until the realm has named a user.
    let user: String?

    init(application: String, provider: String, rounds: Int, expires: Int, own: JSONObject, user: String?) {
        id = Base64URL.encode(.random(count: 16))
        (self.application, self.provider, self.rounds) = (application, provider, rounds)
        (self.expires, self.own, self.user) = (expires, own, user)
    }

    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes), let id = value["i"]?.stringValue,
            let application = value["a"]?.stringValue, let provider = value["p"]?.stringValue,
            let rounds = value["r"]?.intValue, let expires = value["e"]?.intValue, let own = value["s"]?.objectValue
        else { return nil }
        (self.id, self.application, self.provider, self.rounds) = (id, application, provider, rounds)
        (self.expires, self.own, user) = (expires, own, value["u"]?.stringValue)
    }

    var bytes: [UInt8] {
        var object: JSONObject = [
            "i": .string(id), "a": .string(application), "p": .string(provider), "r": .integer(Int64(rounds)),
            "e": .integer(Int64(expires)), "s": .object(own),
        ]
        if let user { object["u"] = .string(user) }
        return JSONValue.object(object).jsonBytes()
    }
}

extension Backend {
    /// Runs the next step of a login at a realm.
    ///
    /// - Parameters:
    ///   - answer: The answer to the last challenge; `nil` at the beginning.
    ///   - state: The sealed state of the last challenge; `nil` at the beginning.
    /// - Returns: The user's identity.
    /// - Throws: ``HTTPFailure``. Its status is 401, with the error `challenge`, when the client must answer a
    ///   challenge; 403 when this user has given too many wrong answers from the network of this address; 400 when the
    ///   client sends a state but no answer. ``AccountError`` with code ``AccountError/Code/loginRefused``,
    ///   ``AccountError/Code/tooManyRequests``, ``AccountError/Code/providerMisconfigured`` or
    ///   ``AccountError/Code/providerUnavailable``.
    func identity(
        answering answer: JSONObject?, state: String?, at provider: String, in application: Application,
        from address: String
    ) async throws -> Identity {
        guard let realm = realms[provider] else {
            throw AccountError(
                .providerMisconfigured, "This server's program has no realm with the name of this provider.")
        }
        try countProviderLogin(in: application, from: address)
        let before = try state.map { try realmState($0, of: provider, in: application) }
        guard before == nil || answer != nil else {
            throw HTTPFailure(.badRequest, "bad_request", "The body needs the member answer, an object.")
        }
        if let user = before?.user {
            try server.authenticator.checkLock(realmName(user, provider, application), from: address)
        }
        let step = try await waitingLogins.run(from: address, for: "\(application.id)/\(provider)") {
            try await self.step(of: realm, after: before == nil ? nil : answer, before, provider, application)
        }
        let rounds = (before?.rounds ?? 0) + 1
        func challenge(_ challenge: JSONObject, _ own: JSONObject, _ user: String?) throws -> HTTPFailure {
            try self.challenge(
                challenge,
                RealmState(
                    application: application.id, provider: provider, rounds: rounds,
                    expires: WallClock.seconds + BackendLimits.loginFlowSeconds, own: own, user: user))
        }
        switch step {
        case .challenge(let question, let own, let user): throw try challenge(question, own, user)
        case .wrongAnswer(let user, let question, let own):
            try await countAnswer(realmName(user, provider, application), isRight: false, by: provider, from: address)
            throw try challenge(question, own, user)
        case .success(let identity):
            let name = realmName(identity.subject, provider, application)
            try await countAnswer(name, isRight: true, by: provider, from: address)
            return application.providers[provider]?.limited(identity) ?? identity
        case .failure(let reason): throw AccountError(.loginRefused, reason)
        }
    }

    /// Returns the name under which wrong answers for a user are counted. The name contains a character that the names
    /// of users cannot contain.
    private func realmName(_ user: String, _ provider: String, _ application: Application) -> String {
        "\(application.id)/\(provider)\u{1F}\(user.prefix(BackendLimits.userNameBytesMax))"
    }

    private func step(
        of realm: any LoginRealm, after answer: JSONObject?, _ state: RealmState?, _ provider: String,
        _ application: Application
    ) async throws -> RealmStep {
        do {
            return try await realm.step(after: answer, state: state?.own ?? [:])
        } catch let error as CancellationError {
            throw error
        } catch {
            try? server.logger.error(
                "a realm failed",
                metadata: ["application": "\(application.id)", "provider": "\(provider)", "cause": "\(error)"])
            throw AccountError(
                .providerUnavailable, "The login failed on the server's side. Try again later.",
                retrySeconds: BackendLimits.providerRetrySeconds)
        }
    }

    /// Opens the state that a client sends with an answer. The state is marked as used, because each state is accepted
    /// only once.
    private func realmState(
        _ text: String, of provider: String, in application: Application
    ) throws(AccountError) -> RealmState {
        guard let state = realmStates.open(text).flatMap({ RealmState($0) }),
            state.application.isIdenticalText(to: application.id), state.provider.isIdenticalText(to: provider),
            state.expires > WallClock.seconds,
            state.rounds < BackendLimits.realmRoundsMax, realmStates.use(state.id, expires: state.expires)
        else {
            throw AccountError(
                .loginRefused, "This challenge was answered before, or the login took too long. Log in again.")
        }
        return state
    }

    private func challenge(_ challenge: JSONObject, _ state: RealmState) throws -> HTTPFailure {
        let bytes = state.bytes
        guard bytes.count <= BackendLimits.realmStateBytesMax else {
            throw AccountError(
                .providerMisconfigured,
                "The state of the realm is longer than \(BackendLimits.realmStateBytesMax) bytes.")
        }
        var failure = HTTPFailure(.unauthorized, HTTPFailure.challenge, "Answer the challenge.")
        failure.details = [
            "provider": .string(state.provider), "challenge": .object(challenge),
            "state": .string(try realmStates.seal(bytes)),
        ]
        return failure
    }

    /// Counts an answer, in the same way as an attempt with a password.
    ///
    /// - Throws: ``HTTPFailure`` with status 403 while the user is locked for the network of this address, or 503 when
    ///   too many attempts wait.
    private func countAnswer(_ name: String, isRight: Bool, by provider: String, from address: String) async throws {
        do {
            _ = try await server.authenticator.proving(name, by: provider, isLogin: false, from: address) {
                isRight ? true : nil
            }
        } catch let failure as HTTPFailure where failure.status == .unauthorized {
            // A wrong answer is not an error here, because another challenge follows.
        }
    }
}
