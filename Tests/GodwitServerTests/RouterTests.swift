//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import GodwitServer

@Suite("Finding a route")
struct RouterTests {
    private static let router = Router(
        ["/", "/{db}", "/{db}/_all_docs", "/{db}/{id}", "/{db}/_design/{design}", "/{db}/{id}/{attachment...}"]
            .map { pattern in Route(.get, pattern, access: .anyone) { _ in } })

    @Test(
        "Literals before parameters, the rest of the path complete",
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
        #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0.value) }) == parameters)
    }

    @Test("HEAD is handled as GET, and the error for other methods names the allowed ones")
    func methods() {
        guard case .route = RouterTests.router.match(.head, ["a"]) else {
            Issue.record("no route for HEAD")
            return
        }
        guard case .otherMethods(let methods, _, _) = RouterTests.router.match(.post, ["a"]) else {
            Issue.record("POST should not be there")
            return
        }
        #expect(methods == [.get, .head])
    }
}
