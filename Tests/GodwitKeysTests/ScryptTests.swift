//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@testable import GodwitKeys

@Suite("scrypt")
struct ScryptTests {
    @Test(
        "The test vectors of RFC 7914, section 12",
        arguments: [
            (
                "password", "NaCl", ScryptCost(n: 1_024, r: 8, p: 16),
                "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
            ),
            (
                "pleaseletmein", "SodiumChloride", ScryptCost(n: 16_384, r: 8, p: 1),
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
            ),
        ])
    func vectors(passphrase: String, salt: String, cost: ScryptCost, derived: String) throws {
        // The vectors have 64 bytes. A key is the first 32: PBKDF2 computes each block of 32 bytes separately.
        let key = try cost.derive(Passphrase(passphrase), salt: Array(salt.utf8))
        #expect(key.withBytes(\.hexadecimal) == derived)
    }

    @Test("Invalid parameters, and those that need too much memory or time, are refused")
    func bounds() {
        let acceptable = [
            ScryptCost.standard, .least, ScryptCost(n: 1 << 18, r: 7, p: 2), ScryptCost(n: 1 << 17, r: 8, p: 4),
            ScryptCost(n: 1 << 15, r: 1, p: 1 << 7),
        ]
        for cost in acceptable { #expect(cost.isAcceptable, "\(cost)") }
        let refused: [(Int, Int, Int)] = [
            (0, 8, 1), (1, 8, 1), (-2, 8, 1), (3, 8, 1), (1_000, 8, 1), (1 << 16, 1, 1), (1 << 17, 0, 1),
            (1 << 17, 8, 0),
            (1 << 17, -8, -1), (1 << 18, 8, 1), (1 << 21, 1, 1), (1 << 17, 8, 5), (2, 1 << 21, 1), (2, 1, 1 << 22),
            (1 << 62, 1 << 62, 4), (.max, .max, .max), (.min, .min, .min), (1 << 22, 1 << 22, 1 << 22),
        ]
        for (n, r, p) in refused { #expect(!ScryptCost(n: n, r: r, p: p).isAcceptable, "\(n) \(r) \(p)") }
    }
}
