//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestKit
import Testing

@testable import GodwitTransport

@Suite("Writing multipart bodies")
struct WriterTests {
    @Test("A document and its attachments are framed byte for byte as CouchDB frames them")
    func framing() throws {
        var writer = try MultipartWriter(boundary: "simple_boundary")
        var body = writer.part(MultipartWriter.documentHeaders) + Array("{}".utf8)
        body += writer.part(MultipartWriter.attachmentHeaders(name: "é b", contentType: "text/plain", length: 5))
        body += Array("hello".utf8)
        body += writer.part(
            MultipartWriter.attachmentHeaders(name: "z", contentType: "a/b", length: 0, encoding: "gzip"))
        body += writer.end()
        let expected = """
            --simple_boundary\r\nContent-Type: application/json\r\n\r\n{}\r\n--simple_boundary\r\n\
            Content-Disposition: attachment; filename="é b"\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello\
            \r\n--simple_boundary\r\nContent-Disposition: attachment; filename="z"\r\nContent-Type: a/b\r\n\
            Content-Length: 0\r\nContent-Encoding: gzip\r\n\r\n\r\n--simple_boundary--
            """
        #expect(String(decoding: body, as: UTF8.self) == expected)
        #expect(writer.contentType("related") == #"multipart/related; boundary="simple_boundary""#)
    }

    @Test("The length is that of CouchDB's own test")
    func length() throws {
        let document = "{\n \"_id\": \"our document goes here\"\n}\n\n"
        let attachment = "Hello my important document"
        let headers = MultipartWriter.attachmentHeaders(
            name: "test", contentType: "text/plain", length: attachment.utf8.count)
        let length = try MultipartWriter(boundary: "simple_boundary").length(of: [
            (MultipartWriter.documentHeaders, document.utf8.count), (headers, attachment.utf8.count),
        ])
        #expect(length == 258)
    }

    @Test("No parts at all, and different boundaries")
    func boundaries() throws {
        var writer = MultipartWriter()
        #expect(writer.boundary.utf8.count == 32 && writer.boundary != MultipartWriter().boundary)
        #expect(writer.boundary.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        let bytes = writer.end()
        #expect(outcome(of: [bytes], boundary: writer.boundary).isComplete)
        #expect(throws: MultipartError.self) { try MultipartWriter(boundary: "a\r\nb") }
    }

    @Test("A value cannot start another header or the body")
    func injection() throws {
        var writer = try MultipartWriter(boundary: "b")
        let bytes = writer.part([("Content-Type", "a/b\r\nX: 1\r\n\r\n--b--\0")]) + writer.end()
        #expect(outcome(of: [bytes], boundary: "b").parts == [Part(["Content-Type: a/b  X: 1    --b--"])])
    }

    @Test("Written bodies can be read, with any content", arguments: 0..<300 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var writer = MultipartWriter(using: &generator)
        var (bytes, parts, lengths): ([UInt8], [Part], [(headers: [(String, String)], bodyBytes: Int)]) = ([], [], [])
        for number in 0..<Int.random(in: 0..<6, using: &generator) {
            let body = Self.body(boundary: writer.boundary, using: &generator)
            let headers = MultipartWriter.attachmentHeaders(
                name: "\(number)\"\r\n", contentType: "a/b", length: body.count)
            var part = Part(headers.map { "\($0): \($1)" })
            part.body = body
            parts.append(part)
            lengths.append((headers, body.count))
            bytes += writer.part(headers) + body
        }
        bytes += writer.end()
        #expect(writer.length(of: lengths) == bytes.count)
        let read = outcome(of: randomPieces(of: bytes, using: &generator), boundary: writer.boundary)
        #expect(read.parts == parts)
        #expect(read.isComplete && read.failure == nil)
    }

    /// Returns a body with many incomplete delimiters.
    private static func body(boundary: String, using generator: inout SeededGenerator) -> [UInt8] {
        let delimiter = Array("\r\n--\(boundary)".utf8)
        var body: [UInt8] = []
        for _ in 0..<Int.random(in: 0..<20, using: &generator) {
            body += delimiter.prefix(Int.random(in: 0..<delimiter.count, using: &generator))
            if Bool.random(using: &generator) { body += delimiter + [UInt8.random(in: 0x30...0x7F, using: &generator)] }
        }
        return body
    }
}
