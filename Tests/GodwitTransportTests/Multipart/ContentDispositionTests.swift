//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestKit
import Testing

@testable import GodwitTransport

@Suite("Content-Disposition")
struct ContentDispositionTests {
    @Test(
        "The file name",
        arguments: [
            (#"attachment; filename="a b.png""#, "a b.png"), ("ATTACHMENT;FileName=a.png", "a.png"),
            (#"attachment; filename="a\"b\\c;d""#, #"a"b\c;d"#), (#"attachment; filename="c:\d\é""#, #"c:\d\é"#),
            (#"attachment; filename="x"; filename*=UTF-8'en'na%C3%AFve%20€"#, "naïve €"),
            (#"attachment; filename*=iso-8859-1''%e9; filename="x""#, "é"),
            (#"attachment; filename="x"; filename*=UTF-8''%ff"#, "x"),
            (#"attachment; filename="x"; filename*=a%"#, "x"),
            (#"attachment; filename="x"; filename*=UTF-8''%4"#, "x"), (#"a; filename="x"; filename*=koi8-r''y"#, "x"),
            ("attachment", nil), (#"attachment; filename="x"#, nil), ("; filename=x", nil), (#"a; filename="\""#, nil),
        ] as [(String, String?)])
    func filename(_ text: String, _ name: String?) {
        #expect(ContentDisposition(text)?.filename == name)
    }

    @Test(
        "A name survives a round trip, on one line",
        arguments: [
            "a.png", "", "naïve €.txt", #"a"b"#, #"\"#, #"a\"#, #"\\""#, "a\r\nX-Evil: 1", "\"; filename=\"b",
            "a\0b\u{7F}", "\r\n",
            "%41''", "é\u{301}\"\u{301}",
        ])
    func roundTrip(_ name: String) throws {
        try Self.checkRoundTrip(name)
    }

    @Test("Random names survive it too", arguments: 0..<200 as Range<UInt64>)
    func randomRoundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("\"\\;,'%=*\r\n\t é\u{301}a".unicodeScalars)
        var name = ""
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
            name.unicodeScalars.append(alphabet.randomElement(using: &generator) ?? "a")
        }
        try Self.checkRoundTrip(name)
    }

    private static func checkRoundTrip(_ name: String) throws {
        let value = ContentDisposition.attachment(filename: name)
        #expect(!value.utf8.contains { $0 < 0x20 || $0 == 0x7F })
        let read = try #require(ContentDisposition(value)?.filename)
        #expect(read.utf8.elementsEqual(name.utf8))
    }
}
