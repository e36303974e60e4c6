//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitBackend

@Suite("Templates of mails")
struct MailTemplateTests {
    private func rendered(_ text: String, _ name: String, isHTML: Bool) throws -> String {
        let template = try #require(MailTemplate(text, names: ["name", "link"]))
        return template.render(
            ["name": name, "link": "https://example.org/?a=1&b=2"], chosenByUsers: ["name"], isHTML: isHTML)
    }

    @Test(
        "A value that a user chose is escaped in HTML, in two and in three braces",
        arguments: ["{{name}}", "{{{name}}}"])
    func chosen(_ text: String) throws {
        #expect(try rendered(text, "<b>", isHTML: true) == "&lt;b&gt;")
        let marked = try rendered(text, "\u{600}<\u{301}", isHTML: true)
        #expect(marked.utf8.elementsEqual("\u{600}&lt;\u{301}".utf8))
        #expect(try rendered(text, "<b>", isHTML: false) == "<b>")
    }

    @Test("The server's link is escaped in two braces only")
    func link() throws {
        #expect(try rendered("{{link}}", "", isHTML: true) == "https://example.org/?a=1&amp;b=2")
        #expect(try rendered("{{{link}}}", "", isHTML: true) == "https://example.org/?a=1&b=2")
        #expect(try rendered("{{link}}", "", isHTML: false) == "https://example.org/?a=1&b=2")
    }

    @Test(
        "A name is written so that no mail program makes a link of it",
        arguments: [
            ("https://evil.example/x", "https: / / evil. example/ x"), ("www.evil.example", "www. evil. example"),
            ("![a](http://b.c/d)", "![a](http: / / b. c/ d)"), ("ann@evil.example/x", "ann@ evil. example/ x"),
            ("evil\u{3002}example", "evil\u{3002} example"), ("a\nb\u{2028}c\u{202E}d\u{0}", "a b c d "),
            ("Dr. J. Doe", "Dr. J. Doe"), ("ann@example.org", "ann@example.org"), ("Ann.", "Ann."),
        ])
    func names(_ name: String, _ text: String) throws {
        #expect(name.withoutLinks.utf8.elementsEqual(text.utf8))
    }

    @Test("Unknown variables and open braces are refused", arguments: ["{{x}}", "{{name", "{{{name}}", "{{#name}}"])
    func invalid(_ text: String) {
        #expect(MailTemplate(text, names: ["name"]) == nil)
    }
}
