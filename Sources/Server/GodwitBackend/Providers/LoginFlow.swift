//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

// A login in the browser takes four steps. First, the app opens `login/PROVIDER` with its redirect URI and a challenge.
// Second, the server sends the browser to the provider. Third, the provider sends the browser back to
// `login/PROVIDER/callback` with a code, which the server exchanges for the user's identity. Fourth, the server sends
// the browser to the app with a second code, which the app exchanges at `login` with the verifier of its challenge.
//
// While the user is at the provider, the server stores nothing about the login. Instead, the parameters of the login
// are in the text `state`. The text is encrypted with a key of this process, and the provider sends it back. Therefore
// logins that are never finished need no memory. The browser also gets a cookie, and `state` contains the digest of
// this cookie. Therefore a callback is refused if its state was created for another browser.

/// The parameters of a login in the browser, which are sent in the provider's `state`.
struct LoginFlow: Equatable, Sendable {
    let id: String
    let application: String
    let provider: String
    /// The app's redirect URI.
    let redirectURI: String
    /// The app's state, which the server sends back unchanged; `nil` when the app sent none.
    let appState: String?
    /// The app's challenge (RFC 7636, method S256).
    let challenge: String
    /// The redirect URI of this server, to which the provider sends the browser back.
    let callbackURI: String
    /// The verifier of the challenge that the server sends to the provider.
    let verifier: String
    let nonce: String
    /// The digest of the browser's cookie.
    let cookieDigest: [UInt8]
    /// The time at which the login expires, in seconds since 1970.
    let expires: Int

    /// Returns the SHA-256 digest of a verifier or of a cookie. A challenge is the digest of its verifier.
    static func digest(_ text: String) -> [UInt8] { MessageDigest.Algorithm.sha256.digest(of: text.utf8) }

    /// Returns the parameters of the provider's page.
    func request(state: String) -> AuthorizationRequest {
        AuthorizationRequest(
            redirectURI: callbackURI, state: state, nonce: nonce,
            challenge: Base64URL.encode(LoginFlow.digest(verifier)))
    }
}

extension LoginFlow {
    /// Parses the plain text of a state; `nil` when it is invalid.
    fileprivate init?(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes), let id = value["i"]?.stringValue,
            let application = value["a"]?.stringValue, let provider = value["p"]?.stringValue,
            let redirectURI = value["r"]?.stringValue, let challenge = value["c"]?.stringValue,
            let callbackURI = value["u"]?.stringValue, let verifier = value["v"]?.stringValue,
            let nonce = value["n"]?.stringValue,
            let cookieDigest = value["k"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let expires = value["e"]?.intValue
        else { return nil }
        self.init(
            id: id, application: application, provider: provider, redirectURI: redirectURI,
            appState: value["s"]?.stringValue, challenge: challenge, callbackURI: callbackURI, verifier: verifier,
            nonce: nonce, cookieDigest: cookieDigest, expires: expires)
    }

    fileprivate var bytes: [UInt8] {
        var object: JSONObject = [
            "i": .string(id), "a": .string(application), "p": .string(provider), "r": .string(redirectURI),
            "c": .string(challenge), "u": .string(callbackURI), "v": .string(verifier), "n": .string(nonce),
            "k": .string(Base64URL.encode(cookieDigest)), "e": .integer(Int64(expires)),
        ]
        if let appState { object["s"] = .string(appState) }
        return JSONValue.object(object).jsonBytes()
    }
}

/// Encrypts the states of logins in the browser, and issues the codes with which apps finish these logins.
final class LoginFlows: Sendable {
    /// A login that the provider has confirmed, and whose code the app has not exchanged yet.
    private struct Confirmed {
        let application: String
        let provider: String
        let identity: Identity
        let challenge: String
        let expires: Int
    }

    /// The prefix of the codes. Codes of providers do not have this prefix.
    static let codePrefix = "godwit."

    private let states: SealedStates
    /// The logins whose code is not exchanged yet, keyed by the code's digest.
    private let confirmed = Mutex<[[UInt8]: Confirmed]>([:])
    private let now: @Sendable () -> Int

    init(now: @escaping @Sendable () -> Int) {
        self.now = now
        states = SealedStates(now: now)
    }

    /// Encrypts the parameters of a login.
    func state(of flow: LoginFlow) throws -> String { try states.seal(flow.bytes) }

    /// Decrypts a state without marking it as used; `nil` when the state is damaged, has expired, or was created by
    /// another process.
    func flow(ofState state: String) -> LoginFlow? {
        guard let flow = states.open(state).flatMap({ LoginFlow($0) }), flow.expires > now() else { return nil }
        return flow
    }

    /// Marks a state as used.
    ///
    /// - Returns: Whether the login may continue. `false` if the state was used before, and also while the memory for
    ///   used states is full.
    func use(_ flow: LoginFlow) -> Bool { states.use(flow.id, expires: flow.expires) }

    /// Issues the code of a confirmed login; `nil` when too many codes wait to be exchanged.
    func code(for identity: Identity, of flow: LoginFlow) -> String? {
        let (now, code) = (now(), LoginFlows.codePrefix + Base64URL.encode(.random(count: 24)))
        let login = Confirmed(
            application: flow.application, provider: flow.provider, identity: identity, challenge: flow.challenge,
            expires: now + BackendLimits.loginCodeSeconds)
        return confirmed.withLock { confirmed in
            if confirmed.count >= BackendLimits.loginFlowsMax {
                confirmed = confirmed.filter { $0.value.expires > now }
            }
            guard confirmed.count < BackendLimits.loginFlowsMax else { return nil }
            confirmed[LoginFlow.digest(code)] = login
            return code
        }
    }

    /// Exchanges a code for the identity. The code becomes invalid with the first attempt, even if the verifier of this
    /// attempt is wrong.
    ///
    /// - Returns: `nil` when the code is unknown or expired, when it belongs to another application or provider, and
    ///   when the verifier is wrong.
    func identity(ofCode code: String, verifier: String, application: String, provider: String) -> Identity? {
        let now = now()
        guard let login = confirmed.withLock({ $0.removeValue(forKey: LoginFlow.digest(code)) }),
            login.expires > now, login.application.isIdenticalText(to: application),
            login.provider.isIdenticalText(to: provider),
            login.challenge.isIdenticalText(to: Base64URL.encode(LoginFlow.digest(verifier)))
        else { return nil }
        return login.identity
    }
}
