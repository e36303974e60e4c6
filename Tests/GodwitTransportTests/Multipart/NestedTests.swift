//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestKit
import Testing

@testable import GodwitTransport

@Suite("Multipart within multipart")
struct NestedTests {
    /// A response to `open_revs` in CouchDB's framing; the inner boundary starts like the outer one.
    private static let answer = """
        --b\r\nContent-Type: multipart/related; boundary="bb"\r\n\r\n--bb\r\nContent-Type: application/json\r\n\r\n{"_id":"x"}\
        \r\n--bb\r\nContent-Disposition: attachment; filename="a.txt"\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello\
        \r\n--bb--\r\n--b\r\nContent-Type: application/json; error="true"\r\n\r\n{"missing":"1-a"}\r\n--b--
        """

    @Test("The body of a part is passed to another reader, piece by piece")
    func nested() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<100 {
            let pieces = randomPieces(of: Array(Self.answer.utf8), using: &generator)
            let parts = try Self.flattened(pieces)
            #expect(
                parts == [
                    Part(["Content-Type: application/json"], #"{"_id":"x"}"#),
                    Part(
                        [
                            #"Content-Disposition: attachment; filename="a.txt""#, "Content-Type: text/plain",
                            "Content-Length: 5",
                        ], "hello"),
                    Part([#"Content-Type: application/json; error="true""#], #"{"missing":"1-a"}"#),
                ])
        }
    }

    /// Returns the innermost parts, in order.
    private static func flattened(_ pieces: [[UInt8]]) throws -> [Part] {
        var outer = try MultipartReader(boundary: "b")
        var inner: MultipartReader?
        var leaves = Outcome()
        for piece in pieces {
            outer.append(piece)
            while let event = try outer.next() {
                switch event {
                case .headers(let headers) where headers.contentType?.isMultipart == true:
                    inner = try MultipartReader(boundary: try #require(headers.contentType?.boundary))
                case .body(let bytes) where inner != nil:
                    inner?.append(bytes)
                    while let event = try inner?.next() { if event != .end { leaves.add(event) } }
                case .partEnd where inner != nil:
                    try inner?.finish()
                    inner = nil
                default: leaves.add(event)
                }
            }
        }
        try outer.finish()
        return leaves.parts
    }
}
