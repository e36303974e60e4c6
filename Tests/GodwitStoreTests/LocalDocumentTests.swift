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
            #expect(try await store.transact { try $0.saveLocal(id: "x", previous: 0, body: body) } == 1)
            #expect(try await store.transact { try $0.saveLocal(id: "x", previous: 1, body: body) } == 2)
            let found = try store.read { try $0.local(id: "x") }
            #expect(found == LocalDocument(id: "x", revision: 2, body: body))
            #expect(found?.revisionText == "0-2")
            #expect(try store.documentCount == 0)
            #expect(try store.changes(after: 0, detail: .leaves).rows.isEmpty)
            #expect(try await store.transact { try $0.removeLocal(id: "x") })
            #expect(try await !store.transact { try $0.removeLocal(id: "x") })
        }
    }

    @Test("They survive their store, and overwriting one needs its revision")
    func reopened() async throws {
        try await withDirectory { directory in
            let body = Array(#"{"seq":7}"#.utf8)
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                for previous in [0, 5] {
                    _ = try await store.transact { try $0.saveLocal(id: "é/\0", previous: previous, body: body) }
                }
                await expectFailure(.conflict) {
                    try await store.transact { transaction in
                        _ = try transaction.saveLocal(id: "é/\0", previous: 9, body: [])
                        throw StoreError(.conflict, "a refusal of the test's own")
                    }
                }
            }
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                let found = try store.read { try $0.local(id: "é/\0") }
                #expect(found == LocalDocument(id: "é/\0", revision: 6, body: body))
                #expect(store.updateSequence.number == 0)
            }
        }
    }
}
