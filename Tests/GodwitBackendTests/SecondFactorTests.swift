//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@testable import GodwitBackend

@Suite("Second factors")
struct SecondFactorTests {
    @Test(
        "One-time passwords are those of RFC 6238, appendix B, in six digits",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ])
    func vectors(_ seconds: Int, _ password: String) {
        #expect(OneTimePassword.password(Array("12345678901234567890".utf8), step: seconds / 30) == password)
    }

    @Test(
        "Base32 is that of RFC 4648, section 10, without padding",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ])
    func base32(_ text: String, _ digits: String) {
        #expect(Base32.encode(Array(text.utf8)) == digits)
    }

    @Test("A password is valid once, a step before and after its own, and none before the activation")
    func passwords() throws {
        var factor = SecondFactor(nil)
        let begun = factor.begin()
        let secret = try #require(begun)
        func password(_ step: Int) -> String { OneTimePassword.password(secret, step: step) }
        #expect(!factor.isActive && SecondFactor(factor.bytes) == factor)
        let unused = factor.use(password(10), now: 300)
        let wrong = factor.activate("000000x", now: 300)
        #expect(!unused && wrong == nil)
        let activated = factor.activate(password(10), now: 300)
        let codes = try #require(activated)
        let again = factor.begin()
        #expect(codes.count == 10 && factor.isActive && again == nil)
        let uses = [(10, 300), (9, 300), (11, 300), (11, 330), (13, 330), (12, 330)].map { step, now in
            factor.use(password(step), now: now)
        }
        #expect(uses == [false, false, true, false, false, true])
        #expect(SecondFactor(factor.bytes) == factor)
        #expect(!codes.contains { String(decoding: factor.bytes, as: UTF8.self).contains($0) })
        let recoveries = [codes[3], codes[3], codes[4].lowercased(), ""].map { factor.use($0, now: 330) }
        #expect(recoveries == [true, false, true, false])
    }
}
