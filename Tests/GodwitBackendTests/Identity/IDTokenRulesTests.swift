//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitBackend

@Suite("Claims of ID tokens")
struct IDTokenRulesTests {
    private let rules = IDTokenRules(issuer: "https://i", audiences: ["app", "phone"], skewSeconds: 60)
    private let claims: JSONObject = ["iss": "https://i", "aud": "app", "iat": 1_000, "exp": 1_600, "sub": "u"]

    private func code(_ changes: JSONObject, nonce: String? = nil, now: Int = 1_000) -> IdentityError.Code? {
        var claims = claims
        for (name, value) in changes { claims[name] = value == .null ? nil : value }
        do {
            try rules.check(claims, nonce: nonce, now: now)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A token is valid from a minute before its beginning to a minute after its end")
    func times() {
        for (now, expected) in [
            (939, IdentityError.Code.clockDiffers), (940, nil), (1_659, nil), (1_660, .refused),
        ] as [(Int, IdentityError.Code?)] {
            #expect(code([:], now: now) == expected, "\(now)")
        }
        #expect(code(["nbf": 1_061]) == .clockDiffers && code(["exp": .null]) == .refused)
        #expect(code(["exp": 1e300]) == nil && code(["iat": 1e300]) == .clockDiffers && code(["exp": "x"]) == .refused)
    }

    @Test("Claims that are only canonically equivalent are refused")
    func exact() throws {
        let rules = IDTokenRules(issuer: "https://K", audiences: ["Kiosk"], skewSeconds: 60)
        let claims: JSONObject = ["iss": "https://K", "aud": "Kiosk", "iat": 1_000, "exp": 1_600, "sub": "u"]
        try rules.check(claims, nonce: nil, now: 1_000)
        for (name, value) in [("iss", "https://\u{212A}"), ("aud", "\u{212A}iosk"), ("azp", "\u{212A}iosk")] {
            var changed = claims
            changed[name] = .string(value)
            #expect(throws: IdentityError.self) { try rules.check(changed, nonce: nil, now: 1_000) }
        }
    }

    @Test("A time that is not near the clock never ends the process", arguments: [-1e308, 1e308, 0])
    func extremeTimes(_ seconds: Double) {
        #expect(code(["exp": .double(seconds)], now: 1_000) == (seconds > 0 ? nil : .refused))
        #expect(code(["nbf": .double(seconds)]) == (seconds > 0 ? .clockDiffers : nil))
    }

    @Test("A token is of this issuer, for this app, and requested by it")
    func parties() {
        #expect(code(["iss": "https://j"]) == .refused && code(["iss": .null]) == .refused)
        #expect(code(["aud": "other"]) == .refused && code(["aud": .null]) == .refused && code(["aud": []]) == .refused)
        #expect(code(["aud": ["phone"]]) == nil && code(["aud": ["app", "other"]]) == .refused)
        #expect(code(["aud": ["app", "other"], "azp": "app"]) == nil && code(["azp": "other"]) == .refused)
    }

    @Test("Google's issuer may be written without its scheme, and Microsoft's contains the tenant")
    func issuers() throws {
        let google = IDTokenRules(issuer: "https://accounts.google.com", audiences: ["app"], skewSeconds: 60)
        var claims = claims
        claims["iss"] = "accounts.google.com"
        try google.check(claims, nonce: nil, now: 1_000)
        let microsoft = IDTokenRules(issuer: "https://m/{tenantid}/v2.0", audiences: ["app"], skewSeconds: 60)
        claims["iss"] = "https://m/t/v2.0"
        claims["tid"] = "t"
        try microsoft.check(claims, nonce: nil, now: 1_000)
        claims["tid"] = "other"
        #expect(throws: IdentityError.self) { try microsoft.check(claims, nonce: nil, now: 1_000) }
    }

    @Test("Only HTTPS and this machine are asked")
    func protected() {
        for url in ["https://x", "http://127.0.0.1:80/x", "http://localhost", "http://[::1]/x"] {
            #expect(ProviderClient.isProtected(url), "\(url)")
        }
        for url in ["http://x", "http://127.0.0.1.x/", "http://localhost@x", "ftp://x", "", "http://localhosts"] {
            #expect(!ProviderClient.isProtected(url), "\(url)")
        }
    }
}
