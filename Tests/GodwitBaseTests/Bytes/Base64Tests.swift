//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@Suite("Base64")
struct Base64Tests {
    private func sample(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) } }

    private func encode(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        Base64.append(bytes, to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    @Test(
        "The results are those of Python's base64",
        arguments: [
            (0, ""), (1, "Cw=="), (2, "CzA="), (3, "CzBV"), (4, "CzBVeg=="), (5, "CzBVep8="),
            (32, "CzBVep/E6Q4zWH2ix+wRNluApcrvFDleg6jN8hc8YYY="), (33, "CzBVep/E6Q4zWH2ix+wRNluApcrvFDleg6jN8hc8YYar"),
        ])
    func vectors(count: Int, digits: String) {
        #expect(encode(sample(count)) == digits)
        #expect(Base64.decode(digits.utf8) == sample(count))
    }

    @Test("All lengths up to a hundred: round trip, without padding, and equal to Python's output")
    func lengths() {
        var all = ""
        for count in 0...100 {
            let digits = encode(sample(count))
            all += digits
            #expect(Base64.decode(digits.utf8) == sample(count))
            #expect(Base64.decode(digits.filter { $0 != "=" }.utf8) == sample(count))
        }
        #expect(
            MessageDigest.Algorithm.sha256.digest(of: Array(all.utf8)).hexadecimal
                == "b63d4eb7e6ea3723fadd647b9363dcbf024483e61dd8c83bf09541b30b2edb55")
    }

    @Test(
        "Other input is refused",
        arguments: [
            "A", "AAAAA", "=", "==", "====", "A===", "AA=", "AAA==", "AAAA=", "AA==AA==", "A=A=", "AA-_", "AA A",
            "AAA\n",
            "QUJD\\", "é",
        ])
    func refused(digits: String) {
        #expect(Base64.decode(digits.utf8) == nil)
    }
}
