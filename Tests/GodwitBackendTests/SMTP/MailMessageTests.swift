//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitBackend

@Suite("Mail")
struct MailMessageTests {
    @Test(
        "Addresses",
        arguments: [
            ("ann@example.org", true), ("a.b+c@x.y-z.org", true), ("ann@localhost", true), ("O'Neil@x.org", true),
            ("ann", false), ("@x.org", false), ("ann@", false), ("a@b@c", false), ("a b@x.org", false),
            ("a\r\nBcc: b@x.org", false), ("a\n@x.org", false), ("<a>@x.org", false), ("a@x..org", false),
            ("a@-x.org", false), ("ann@exämple.org", false), (String(repeating: "a", count: 65) + "@x.org", false),
            ("a@" + String(repeating: "b.", count: 130) + "org", false), ("a@x.org\0", false), ("a,b@x.org", false),
        ])
    func addresses(_ text: String, _ isValid: Bool) {
        #expect((MailAddress(text) != nil) == isValid)
    }

    private func rendered(_ message: MailMessage, name: String? = nil) throws -> [String] {
        let from = try #require(MailAddress("no-reply@example.org"))
        let bytes = message.rendered(from: from, name: name, id: "1", seconds: 1_700_000_000)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    @Test("A text never begins another header or a longer line")
    func headers() throws {
        let to = try #require(MailAddress("ann@example.org"))
        let subject = "Hi\r\nBcc: eve@example.org \u{1F600} " + String(repeating: "é", count: 100)
        let lines = try rendered(
            MailMessage(to: to, subject: subject, text: String(repeating: "ä", count: 1_000)), name: "A, \"B\"\n<x@y>")
        #expect(!lines.contains { $0.hasPrefix("Bcc") } && lines.allSatisfy { $0.utf8.count <= 78 })
        #expect(lines.contains("To: ann@example.org") && lines.contains("Date: Tue, 14 Nov 2023 22:13:20 +0000"))
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
        #expect(lines.contains { $0.hasPrefix("From: =?utf-8?B?") } && lines.contains(" <no-reply@example.org>"))
    }

    @Test("A message with HTML has both parts")
    func parts() throws {
        let to = try #require(MailAddress("ann@example.org"))
        let lines = try rendered(MailMessage(to: to, subject: "Hi", text: "text", html: "<p>html</p>"), name: "Trips")
        #expect(lines.starts(with: ["From: Trips", " <no-reply@example.org>"]) && lines.contains("Subject: Hi"))
        #expect(lines.filter { $0 == "--godwit-1" }.count == 2 && lines.contains("--godwit-1--"))
        #expect(lines.contains("dGV4dA==") && lines.contains("PHA+aHRtbDwvcD4="))
    }

    @Test(
        "TLS is required except on this machine",
        arguments: [
            ("smtp://127.0.0.1:25", true), ("smtp://localhost", true), ("smtp://mail.example.org:587", false),
            ("smtp://127.0.0.1.example.org", false), ("smtps://127.0.0.1", false),
        ])
    func local(_ url: String, _ isLocal: Bool) throws {
        let from = try #require(MailAddress("no-reply@example.org"))
        #expect(try #require(MailServer(url: url, from: from)).isLocal == isLocal)
        #expect(MailServer(url: "http://x", from: from) == nil && MailServer(url: "smtp://a:b@x", from: from) == nil)
    }
}
