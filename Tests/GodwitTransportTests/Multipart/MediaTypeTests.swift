//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitTransport

@Suite("Media types")
struct MediaTypeTests {
    @Test(
        "The boundary",
        arguments: [
            (#"multipart/related; boundary="4f""#, "4f"), ("multipart/mixed;boundary=4f", "4f"),
            (#"Multipart/Related; Type="a;b=\"c"; BOUNDARY = "a b" ;"#, "a b"),
            (#"multipart/related; x; boundary="a\\b""#, #"a\b"#), ("multipart/related; boundary=a/b=c", "a/b=c"),
            ("multipart/related", nil), ("text/plain; boundary=4f", nil),
        ] as [(String, String?)])
    func boundary(_ text: String, _ boundary: String?) throws {
        #expect(try #require(MediaType(text)).boundary == boundary)
    }

    @Test(
        "Invalid media types",
        arguments: ["", "text", "text/", "/plain", "a/b/c", "te xt/plain", #"a/b; x="y"#, "a/b; x y=1"])
    func malformed(_ text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test(
        "The preferred type of JSON and multipart",
        arguments: [
            (nil, "application/json"), ("", "application/json"), ("*/*", "application/json"),
            (";;;", "application/json"),
            ("multipart/mixed", "multipart/mixed"), ("MULTIPART/*", "multipart/mixed"), ("text/html", nil),
            ("multipart/mixed, application/json", "application/json"), ("text/html, */*;q=0.1", "application/json"),
            ("application/json;q=0.5, multipart/*;q=0.6", "multipart/mixed"),
            ("*/*, application/json; q=0", "multipart/mixed"),
            ("*/*;q=0", nil), ("application/json;q=x", nil), (#"a/b;x=",*/*", multipart/mixed"#, "multipart/mixed"),
            ("multipart/*;q=0.9, multipart/mixed;q=0.1, application/json;q=0.2", "application/json"),
        ] as [(String?, String?)])
    func preferred(_ accept: String?, _ expected: String?) {
        #expect(MediaType.preferred(accept: accept, of: ["application/json", "multipart/mixed"]) == expected)
    }
}
