//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitStore

@Suite("Documents that are never replicated")
struct LocalDocumentTests {
    @Test("Written, read, overwritten, removed, and in no feed")
    func lifeCycle() async throws {
        try await withDatastore { store in
            #expect(try store.read { try $0.local(id: "x") } == nil)
            let body = Array(#"{"a":1}"#.utf8)
            #expect(try await store.write { try $0.saveLocal(id: "x", previous: 0, body: body) } == 1)
            #expect(try await store.write { try $0.saveLocal(id: "x", previous: 1, body: body) } == 2)
            let found = try store.read { try $0.local(id: "x") }
            #expect(found == LocalDocument(id: "x", revision: 2, body: body))
            #expect(found?.revisionText == "0-2")
            #expect(store.documentCount == 0)
            #expect(try store.changes(after: 0, detail: .leaves).rows.isEmpty)
            try await store.write { try $0.removeLocal(id: "x") }
            await expectFailure(.notFound) { try await store.write { try $0.removeLocal(id: "x") } }
        }
    }
}
