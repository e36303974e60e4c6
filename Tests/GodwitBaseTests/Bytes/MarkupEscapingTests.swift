//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@Suite("Escaping for HTML and XML")
struct MarkupEscapingTests {
    @Test("Markup characters are escaped, whatever marks are before and after them", arguments: ["", "\u{600}"])
    func marks(prefix: String) {
        for (text, escaped) in [("<", "&lt;"), (">", "&gt;"), ("&", "&amp;"), ("\"", "&quot;"), ("'", "&#39;")] {
            for suffix in ["", "\u{301}", "\u{200D}", "\u{FE0F}"] {
                #expect((prefix + text + suffix).markupEscaped.utf8.elementsEqual((prefix + escaped + suffix).utf8))
            }
        }
    }

    @Test("Other text is unchanged", arguments: ["", "plain", "é e\u{301} \u{1F600}", "a\r\nb"])
    func unchanged(text: String) {
        #expect(text.markupEscaped.utf8.elementsEqual(text.utf8))
    }
}
