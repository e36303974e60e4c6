//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitServer

@Suite("Paths and queries")
struct RequestTargetTests {
    @Test(
        "Paths are cut before they are decoded",
        arguments: [
            ("/", []), ("/db", ["db"]), ("/db/", ["db"]), ("/a%2Fb/c", ["a/b", "c"]),
            ("/db/_design%2Fx", ["db", "_design", "x"]),
            ("/db/_design/x", ["db", "_design", "x"]), ("/db/_local%2Fa%2Fb", ["db", "_local", "a/b"]),
            ("/db/a%20b%C3%A4", ["db", "a bä"]), ("/db/a+b", ["db", "a+b"]),
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

@Suite("Finding a route")
struct RouterTests {
    private static let router = Router(
        ["/", "/{db}", "/{db}/_all_docs", "/{db}/{id}", "/{db}/_design/{design}", "/{db}/{id}/{attachment...}"]
            .map { pattern in Route(.get, pattern) { _, _, _ in } })

    @Test(
        "Literals before parameters, the rest of the path whole",
        arguments: [
            ([], [:]), (["a"], ["db": "a"]), (["a", "_all_docs"], ["db": "a"]), (["a", "x"], ["db": "a", "id": "x"]),
            (["a", "_design", "x"], ["db": "a", "design": "x"]),
            (["a", "x", "y", "z"], ["db": "a", "id": "x", "attachment": "y/z"]),
        ] as [([String], [String: String])])
    func match(_ segments: [String], _ parameters: [String: String]) {
        guard case .route(_, let found) = RouterTests.router.match(.get, segments) else {
            Issue.record("no route")
            return
        }
        #expect(found == parameters)
    }

    @Test("HEAD is answered by GET, other methods are named")
    func methods() {
        guard case .route = RouterTests.router.match(.head, ["a"]) else {
            Issue.record("no route for HEAD")
            return
        }
        guard case .otherMethods(let methods) = RouterTests.router.match(.post, ["a"]) else {
            Issue.record("POST should not be there")
            return
        }
        #expect(methods == [.get, .head])
    }
}

@Suite("Ranges of bytes")
struct ByteRangeTests {
    @Test(
        "What is asked for",
        arguments: [
            (nil, nil), ("bytes=0-3", 0..<4), ("bytes=2-", 2..<10), ("bytes=-3", 7..<10), ("bytes=-99", 0..<10),
            ("bytes=8-99", 8..<10), ("bytes=5-2", nil), ("items=0-1", nil), ("bytes=0-1,3-4", nil), ("bytes=x-", nil),
        ] as [(String?, Range<Int>?)])
    func range(_ header: String?, _ range: Range<Int>?) throws {
        #expect(try ByteRange.requested(header, length: 10) == range)
    }

    @Test("Beyond the end", arguments: ["bytes=10-", "bytes=10-12", "bytes=-0"])
    func beyond(_ header: String) {
        let failure = #expect(throws: HTTPFailure.self) { try ByteRange.requested(header, length: 10) }
        #expect(failure?.status == .rangeNotSatisfiable)
    }
}

@Suite("Passwords")
struct PasswordHashTests {
    @Test("A hash knows its password, also after being written and read")
    func roundTrip() throws {
        let hash = PasswordHash(of: "correct horse")
        #expect(hash.matches("correct horse"))
        #expect(!hash.matches("correct hors"))
        let read = try #require(PasswordHash(hash.description))
        #expect(read.matches("correct horse"))
        #expect(!hash.description.contains("horse"))
    }

    /// Python: `hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 2, 32).hex()`, which is RFC 7914's method.
    @Test("The derivation is PBKDF2 with HMAC-SHA-256")
    func vector() throws {
        let text = "-pbkdf2:sha256-ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251dfd6e2d85a95474c43,salt,2"
        #expect(try #require(PasswordHash(text)).matches("password"))
    }

    @Test(
        "Broken hashes are none",
        arguments: ["", "-pbkdf2:sha256-00,salt", "-pbkdf2:sha256-zz,salt,2", "-hashed-x,y,1"])
    func broken(_ text: String) { #expect(PasswordHash(text) == nil) }
}
