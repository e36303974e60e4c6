//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@Suite("ASCII text")
struct ASCIITextTests {
    @Test("Only ASCII letters get lower case")
    func lowerCase() {
        #expect("AZ[@Kelvin".lowercasedASCII == "az[@kelvin")
        #expect("\u{212A}\u{130}É".lowercasedASCII.utf8.elementsEqual("\u{212A}\u{130}É".utf8))
    }

    @Test("A list is split at each comma, whatever follows it")
    func items() {
        #expect(
            " a,\tb c ,,\u{301}d".commaSeparatedItems.map { Array($0.utf8) }
                == ["a", "b c", "\u{301}d"].map { Array($0.utf8) })
        #expect(" , ".commaSeparatedItems.isEmpty)
    }
}
