//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitStore

@Suite("Waiting writes")
struct WriteQueueTests {
    @Test("Each of many concurrent writes gets its own result, and sequences have no gaps")
    func manyWriters() async throws {
        try await withDatastore { store in
            let revisions = try await withThrowingTaskGroup(of: RevisionID.self) { group in
                for number in 0..<200 {
                    group.addTask { try await store.save(#"{"_id":"\#(number)","n":\#(number)}"#) }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(revisions.count == 200)
            #expect(store.updateSequence.number == 200)
            #expect(try store.documentCount == 200)
        }
    }

    @Test("A write that throws in the middle leaves nothing")
    func rollBack() async throws {
        struct Refusal: Error {}
        try await withDatastore { store in
            await #expect(throws: StoreError.self) {
                try await store.transact { transaction in
                    _ = try transaction.save(try incoming(#"{"_id":"a","_attachments":{"x":{"data":"AAAA"}}}"#))
                    throw Refusal()
                }
            }
            #expect(try store.documentCount == 0)
            #expect(store.updateSequence.number == 0)
            // The tables that it created are rolled back too, and are created again.
            try await store.save(#"{"_id":"a","_attachments":{"x":{"data":"AAAA"}}}"#)
        }
    }

    @Test("The documents of a batch have separate results")
    func outcomesOfABatch() async throws {
        try await withDatastore { store in
            try await store.save(#"{"_id":"b"}"#)
            let batch = try ["a", "b", "c"].map { try incoming(#"{"_id":"\#($0)"}"#) }
            let outcomes = try await store.writeEach(batch, isReplicated: false)
            let codes = outcomes.map { outcome -> StoreError.Code? in
                if case .failure(let error) = outcome { error.code } else { nil }
            }
            #expect(codes == [nil, .conflict, nil])
            #expect(try store.documentCount == 3)
        }
    }
}
