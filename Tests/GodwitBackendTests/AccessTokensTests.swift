//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitJSON
import JWTKit
import Testing

@testable import GodwitBackend

@Suite("Access tokens")
struct AccessTokensTests {
    private func claims(_ application: String, seconds: Double = 900) -> AccessTokens.Claims {
        AccessTokens.Claims(
            iss: "/_apps/\(application)", aud: application, sub: "\(application)/ann", user: "ann", session: "d",
            login: "l",
            version: nil, roles: [], exp: .init(value: .now.addingTimeInterval(seconds)), iat: 0)
    }

    private func keyIDs(_ tokens: AccessTokens, _ application: String) async throws -> [String] {
        try await tokens.publicKeys(of: application)["keys"]?.arrayValue?.compactMap { $0["kid"]?.stringValue } ?? []
    }

    @Test("Each application has its own keys, and a key signs for a day and verifies until its last token expires")
    func rotation() async throws {
        let time = Mutex(0)
        let tokens = AccessTokens { time.withLock { $0 } }
        let token = try await tokens.token(claims("a"))
        #expect(try await tokens.claims(of: token)?.user == "ann")
        let first = try await keyIDs(tokens, "a")
        #expect(first.count == 1)
        #expect(try await keyIDs(tokens, "b") != first)

        time.withLock { $0 = BackendLimits.signingKeySeconds }
        _ = try await tokens.token(claims("a"))
        let both = try await keyIDs(tokens, "a")
        #expect(both.count == 2 && both.first == first.first)
        #expect(try await tokens.claims(of: token)?.user == "ann")

        time.withLock { $0 = BackendLimits.signingKeySeconds + BackendLimits.accessSecondsMax }
        await #expect(throws: AccountError.self) { try await tokens.claims(of: token) }
    }

    @Test("Expired tokens, tokens of another server and changed tokens are refused")
    func refused() async throws {
        let (tokens, others) = (AccessTokens(), AccessTokens())
        let token = try await tokens.token(claims("a"))
        let expired = try await tokens.token(claims("a", seconds: -1))
        await #expect(throws: AccountError.self) { try await tokens.claims(of: expired) }
        await #expect(throws: AccountError.self) { try await others.claims(of: token) }
        await #expect(throws: AccountError.self) { try await tokens.claims(of: token.dropLast(4) + "AAAA") }
        #expect(try await tokens.claims(of: "x.y.z") == nil)
    }
}
