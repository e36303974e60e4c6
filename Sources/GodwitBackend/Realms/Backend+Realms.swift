//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitIdentity
import GodwitJSON
import GodwitServer
import HTTPTypes
import Logging

/// The state of a login at a realm between two rounds, which travels encrypted through the client.
private struct RealmState {
    let id: String
    let application: String
    let provider: String
    /// The number of challenges that the client has answered.
    let rounds: Int
    /// The time at which it expires, in seconds since 1970.
    let expires: Int
    /// The realm's own state.
    let own: JSONObject

    init(application: String, provider: String, rounds: Int, expires: Int, own: JSONObject) {
        id = Base64URL.encode(.random(count: 16))
        (self.application, self.provider, self.rounds) = (application, provider, rounds)
        (self.expires, self.own) = (expires, own)
    }

    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes), let id = value["i"]?.stringValue,
            let application = value["a"]?.stringValue, let provider = value["p"]?.stringValue,
            let rounds = value["r"]?.intValue, let expires = value["e"]?.intValue, let own = value["s"]?.objectValue
        else { return nil }
        (self.id, self.application, self.provider, self.rounds) = (id, application, provider, rounds)
        (self.expires, self.own) = (expires, own)
    }

    var bytes: [UInt8] {
        ([
            "i": .string(id), "a": .string(application), "p": .string(provider), "r": .integer(Int64(rounds)),
            "e": .integer(Int64(expires)), "s": .object(own),
        ] as JSONValue).jsonBytes()
    }
}

extension Backend {
    /// Runs the next step of a login at a realm.
    ///
    /// - Parameters:
    ///   - answer: The answer to the last challenge; `nil` at the beginning.
    ///   - state: The sealed state of the last challenge; `nil` at the beginning.
    /// - Returns: The user's identity.
    /// - Throws: ``HTTPFailure`` with status 401 and the error `challenge` when the client is to answer one; with status
    ///   403 after too many wrong answers from this address; ``AccountError`` with code
    ///   ``AccountError/Code/loginRefused``, ``AccountError/Code/tooManyRequests``,
    ///   ``AccountError/Code/providerMisconfigured`` or ``AccountError/Code/providerUnavailable``.
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
        let step = try await waitingLogins.run(from: address, for: "\(application.id)/\(provider)") {
            try await self.step(of: realm, after: before == nil ? nil : answer, before, provider, application)
        }
        let rounds = (before?.rounds ?? 0) + 1
        func challenge(_ challenge: JSONObject, _ own: JSONObject) throws -> HTTPFailure {
            try self.challenge(
                challenge,
                RealmState(
                    application: application.id, provider: provider, rounds: rounds,
                    expires: WallClock.seconds + BackendLimits.loginFlowSeconds, own: own))
        }
        switch step {
        case .challenge(let question, let own): throw try challenge(question, own)
        case .wrongAnswer(let user, let question, let own):
            try await countAnswer(of: user, isRight: false, at: provider, in: application, from: address)
            throw try challenge(question, own)
        case .success(let identity):
            try await countAnswer(of: identity.subject, isRight: true, at: provider, in: application, from: address)
            return application.providers[provider]?.limited(identity) ?? identity
        case .failure(let reason): throw AccountError(.loginRefused, reason)
        }
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

    /// Opens the state of a client's answer, and marks it as used: a state is accepted once.
    private func realmState(
        _ text: String, of provider: String, in application: Application
    ) throws(AccountError) -> RealmState {
        guard let state = realmStates.open(text).flatMap({ RealmState($0) }), state.application == application.id,
            state.provider == provider, state.expires > WallClock.seconds,
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

    /// Counts an answer as a password is counted.
    ///
    /// - Throws: ``HTTPFailure`` with status 403, or ``AccountError`` with code ``AccountError/Code/tooManyRequests``,
    ///   while the user is locked.
    private func countAnswer(
        of user: String, isRight: Bool, at provider: String, in application: Application, from address: String
    ) async throws {
        // No name of a user contains a colon.
        let name = "\(application.id)/\(provider):\(user.prefix(BackendLimits.userNameBytesMax))"
        do {
            try await provingCode(name, by: provider, from: address) { isRight ? true : nil }
        } catch let failure as HTTPFailure where failure.status == .unauthorized {
            // A wrong answer is followed by another challenge.
        }
    }
}
