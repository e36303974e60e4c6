//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitTransport

@Suite("Reading multipart bodies")
struct ReaderTests {
    @Test("Accepted bodies", arguments: Bodies.good)
    func good(_ text: String, _ parts: [Part]) {
        let outcome = outcome(of: text)
        #expect(outcome.parts == parts)
        #expect(outcome.isComplete && outcome.failure == nil)
    }

    @Test("Refused bodies, which stay refused", arguments: Bodies.bad)
    func bad(_ text: String, _ code: String) throws {
        #expect(outcome(of: text).failure?.code.description == code)
        var reader = try MultipartReader(boundary: "b")
        reader.append(Array(text.utf8))
        let failure = #expect(throws: MultipartError.self) { try Self.drain(&reader) }
        guard code != "incomplete" else { return }
        reader.append(Array("--b--".utf8))
        let again = #expect(throws: MultipartError.self) { try Self.drain(&reader) }
        #expect(again == failure && again != nil)
        let last = #expect(throws: MultipartError.self) { try reader.finish() }
        #expect(last == failure)
    }

    private static func drain(_ reader: inout MultipartReader) throws {
        while try reader.next() != nil {}
        try reader.finish()
    }

    @Test("Any split in two, and single bytes, give the same result")
    func splits() {
        for text in Bodies.good.map(\.0) + Bodies.bad.map(\.0) {
            let bytes = Array(text.utf8)
            let whole = outcome(of: [bytes], boundary: "b")
            for cut in 0...bytes.count {
                let halves = outcome(of: [Array(bytes[..<cut]), Array(bytes[cut...])], boundary: "b")
                #expect(halves == whole, "\(text.debugDescription) cut at \(cut)")
            }
            #expect(outcome(of: bytes.map { [$0] }, boundary: "b") == whole, "\(text.debugDescription)")
        }
    }

    @Test("A long body is delivered in pieces, with delimiters and similar bytes at any position of their edges")
    func longBodies() {
        let edge = MultipartLimits.bodyPieceBytesMax
        for offset in stride(from: edge - 20, through: edge + 20, by: 1) {
            let body = String(repeating: "x", count: offset) + "\r\n--boundarz" + String(repeating: "\r", count: edge)
            let text = "--boundary\r\n\r\n\(body)\r\n--boundary\r\n\r\n\(body)\r\n--boundary--"
            #expect(outcome(of: text, boundary: "boundary").parts == [Part([], body), Part([], body)])
        }
    }

    @Test("An attachment's headers")
    func headers() throws {
        var reader = try MultipartReader(boundary: "b c")
        reader.append(
            Array(
                """
                --b c
                content-disposition: attachment; filename="a b.png"
                CONTENT-TYPE: multipart/related; boundary="in"
                Content-Length: 12
                Content-Encoding: gzip


                """.utf8))
        guard case .headers(let headers) = try reader.next() else {
            Issue.record("no headers")
            return
        }
        #expect(headers.filename == "a b.png")
        #expect(headers.contentType?.boundary == "in")
        #expect(headers.contentLength == 12)
        #expect(headers["content-encoding"] == "gzip" && headers["x"] == nil)
    }

    @Test("A name that is not UTF-8 is read as ISO 8859-1")
    func latin() {
        let body = Array("--b\r\nA: ".utf8) + [0xE9] + Array("\r\n\r\n\r\n--b--".utf8)
        #expect(outcome(of: [body], boundary: "b").parts == [Part(["A: é"])])
    }

    @Test(
        "A length that is not a number is ignored", arguments: ["", "-1", "+1", "1 2", "0x1", "99999999999999999999"])
    func contentLength(_ text: String) throws {
        var headers = MultipartHeaders()
        let isHeader = headers.add(line: Array("Content-Length: \(text)".utf8)[...])
        #expect(isHeader)
        #expect(headers.contentLength == nil)
    }

    @Test("Invalid boundaries", arguments: ["", "b ", "b\r", "é", "\u{7F}", String(repeating: "b", count: 71)])
    func boundaries(_ boundary: String) {
        let failure = #expect(throws: MultipartError.self) { try MultipartReader(boundary: boundary) }
        #expect(failure?.code == .invalidBoundary)
    }
}
