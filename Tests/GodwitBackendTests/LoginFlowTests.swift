//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@testable import GodwitBackend

@Suite("Logins in the browser")
struct LoginFlowTests {
    private static let verifier = "verifier"

    private func flow(_ id: String = "1", expires: Int = 100) -> LoginFlow {
        LoginFlow(
            id: id, application: "app", provider: "p", redirectURI: "http://127.0.0.1:1/", appState: "s",
            challenge: Base64URL.encode(LoginFlow.digest(LoginFlowTests.verifier)), callbackURI: "u", verifier: "v",
            nonce: "n", cookieDigest: [1, 2], expires: expires)
    }

    @Test("A state is read back until it expires, and is not readable for others")
    func states() throws {
        let time = Mutex(0)
        let flows = LoginFlows { time.withLock { $0 } }
        let state = try flows.state(of: flow())
        #expect(flows.flow(ofState: state) == flow())
        #expect(!state.contains("app") && flows.flow(ofState: "A" + state) == nil)
        #expect(LoginFlows { 0 }.flow(ofState: state) == nil)
        #expect(flows.flow(ofState: "") == nil && flows.flow(ofState: String(repeating: "A", count: 9_000)) == nil)
        time.withLock { $0 = 100 }
        #expect(flows.flow(ofState: state) == nil)
    }

    @Test("A state is used once, and the table of used states is bounded")
    func usedOnce() {
        let time = Mutex(0)
        let flows = LoginFlows { time.withLock { $0 } }
        for number in 0..<BackendLimits.loginFlowsMax { _ = flows.use(flow("\(number)")) }
        #expect(!flows.use(flow("0")) && !flows.use(flow("one more")))
        time.withLock { $0 = 100 }
        #expect(flows.use(flow("one more", expires: 200)))
    }

    @Test("A code is exchanged once, with its verifier, at its application and provider, for two minutes")
    func codes() throws {
        let time = Mutex(0)
        let flows = LoginFlows { time.withLock { $0 } }
        let identity = Identity(subject: "u")
        func exchange(
            _ code: String, verifier: String = LoginFlowTests.verifier, application: String = "app",
            provider: String = "p"
        ) -> Identity? {
            flows.identity(ofCode: code, verifier: verifier, application: application, provider: provider)
        }
        let code = try #require(flows.code(for: identity, of: flow()))
        #expect(exchange(code) == identity && exchange(code) == nil)
        #expect(exchange(try #require(flows.code(for: identity, of: flow())), verifier: "other") == nil)
        #expect(exchange(try #require(flows.code(for: identity, of: flow())), application: "other") == nil)
        #expect(exchange(try #require(flows.code(for: identity, of: flow())), provider: "other") == nil)
        let late = try #require(flows.code(for: identity, of: flow()))
        time.withLock { $0 = BackendLimits.loginCodeSeconds }
        #expect(exchange(late) == nil)
    }
}
