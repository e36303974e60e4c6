//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitServer

@Suite("Passwords")
struct PasswordHashTests {
    @Test("A hash verifies its password, also after being written and read")
    func roundTrip() throws {
        let hash = PasswordHash(of: "correct horse")
        #expect(hash.matches("correct horse"))
        #expect(!hash.matches("correct hors"))
        let read = try #require(PasswordHash(hash.description))
        #expect(read.matches("correct horse"))
        #expect(!hash.description.contains("horse"))
    }

    /// Computed with Python: `hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 2, 32).hex()`, the method of RFC
    /// 7914.
    @Test("The derivation is PBKDF2 with HMAC-SHA-256")
    func vector() throws {
        let text = "-pbkdf2:sha256-ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251dfd6e2d85a95474c43,salt,2"
        #expect(try #require(PasswordHash(text)).matches("password"))
    }

    @Test(
        "Invalid hashes are refused",
        arguments: ["", "-pbkdf2:sha256-00,salt", "-pbkdf2:sha256-zz,salt,2", "-hashed-x,y,1"])
    func broken(_ text: String) { #expect(PasswordHash(text) == nil) }
}
