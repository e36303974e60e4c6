//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import GodwitServer

@Suite("Paths and queries")
struct RequestTargetTests {
    @Test(
        "Paths are split before they are decoded",
        arguments: [
            ("/", []), ("/db", ["db"]), ("/db/", ["db"]), ("/a%2Fb/c", ["a/b", "c"]),
            ("/db/_design%2Fx", ["db", "_design", "x"]),
            ("/db/_design/x", ["db", "_design", "x"]), ("/db/_local%2Fa%2Fb", ["db", "_local", "a/b"]),
            ("/db/a%20b%C3%A4", ["db", "a bä"]), ("/db/a+b", ["db", "a b"]), ("/db/a%2Bb", ["db", "a+b"]),
        ] as [(String, [String])])
    func path(_ text: String, _ segments: [String]) throws {
        #expect(try RequestTarget(text).segments == segments)
    }

    @Test(
        "Queries",
        arguments: [
            ("/x?a=1&b=%22c+d%22&e", [("a", "1"), ("b", "\"c d\""), ("e", "")]), ("/x?", []),
            ("/x?a=b=c", [("a", "b=c")]),
        ] as [(String, [(String, String)])])
    func query(_ text: String, _ items: [(String, String)]) throws {
        let query = try RequestTarget(text).query
        #expect(query.map(\.name) == items.map(\.0))
        #expect(query.map(\.value) == items.map(\.1))
    }

    @Test("Broken escapes are refused", arguments: ["/%", "/%4", "/%zz", "/%ff", "/x?a=%C3"])
    func broken(_ text: String) {
        let failure = #expect(throws: HTTPFailure.self) { try RequestTarget(text) }
        #expect(failure?.status == .badRequest)
    }
}
