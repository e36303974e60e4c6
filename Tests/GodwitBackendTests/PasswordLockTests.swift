//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitBackend

@Suite("Secrets that are protected by passwords")
struct PasswordLockTests {
    @Test("Only the right password opens a secret, only for its purpose")
    func opens() throws {
        let lock = try PasswordLock("secret", password: "p", iterations: 1, binding: "app/ann")
        #expect(lock.open("p", binding: "app/ann") == "secret")
        #expect(lock.open("q", binding: "app/ann") == nil)
        #expect(lock.open("p", binding: "app/bob") == nil)
        #expect(PasswordLock(ofUnknownUser: 1).open("p", binding: "app/ann") == nil)
    }

    @Test("The stored form does not contain the secret, can be read again, and any changed byte is detected")
    func kept() throws {
        let lock = try PasswordLock("secret", password: "p", iterations: 1, binding: "b")
        #expect(!lock.json.jsonText().contains("secret"))
        #expect(try #require(PasswordLock(lock.json)) == lock)
        let sealed = try #require(lock.json["sealed"]?.stringValue)
        for position in stride(from: 0, to: sealed.count, by: 2) {
            var digits = Array(sealed.utf8)
            digits[position] = digits[position] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            var json = try #require(lock.json.objectValue)
            json["sealed"] = .string(String(decoding: digits, as: UTF8.self))
            #expect(try #require(PasswordLock(.object(json))).open("p", binding: "b") == nil)
        }
    }

    @Test("Two encryptions of the same secret have nothing in common")
    func salted() throws {
        let locks = try (0..<2).map { _ in try PasswordLock("secret", password: "p", iterations: 1, binding: "b") }
        #expect(locks[0].json != locks[1].json)
    }
}
