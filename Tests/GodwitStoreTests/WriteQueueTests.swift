//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite
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
                    _ = try transaction.apply(try incoming(#"{"_id":"a","_attachments":{"x":{"data":"AAAA"}}}"#))
                    throw Refusal()
                }
            }
            #expect(try store.documentCount == 0)
            #expect(store.updateSequence.number == 0)
            // The tables that it created are rolled back too, and are created again.
            try await store.save(#"{"_id":"a","_attachments":{"x":{"data":"AAAA"}}}"#)
        }
    }

    @Test("A write that breaks a rule of the program fails alone, names the rule, and leaves nothing")
    func brokenRule() async throws {
        try await withDatastore { store in
            let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        do {
                            try await store.transact { transaction in
                                _ = try transaction.apply(try incoming(#"{"_id":"\#(number)"}"#))
                                invariant(!number.isMultiple(of: 10), "no ten is written")
                            }
                            return nil
                        } catch {
                            #expect((error as? StoreError)?.message.contains("no ten is written") == true)
                            return (error as? StoreError)?.code
                        }
                    }
                }
                var codes: [StoreError.Code] = []
                for await code in group { if let code { codes.append(code) } }
                return codes
            }
            let count = try store.documentCount
            #expect(codes == Array(repeating: .brokenInvariant, count: 5))
            #expect(count == 45)
            #expect(store.updateSequence.number == 45)
            await expectFailure(.notFound) { _ = try store.document("20") }
        }
    }

    @Test(
        "The rules of the tables hold: no counter and no number of uses is below zero",
        arguments: [
            "UPDATE state SET live = -1", "UPDATE state SET revisionsMax = 0", "UPDATE blobs SET uses = -1",
            "UPDATE owners SET live = -1",
        ])
    func tableRules(statement: String) async throws {
        try await withDatastore { store in
            try await store.save(#"{"_id":"a","_attachments":{"x":{"data":"AAAA"}}}"#)
            try await store.transact { transaction in
                try transaction.group.ensure(.owners)
                try transaction.group.ensure(.owned)
                try transaction.connection.execute("INSERT INTO owners VALUES('o', 1, 0, 0, 0)")
            }
            await expectFailure(.storage) {
                try await store.transact { try $0.connection.execute(statement) }
            }
            try await store.transact { try $0.connection.execute("DELETE FROM owners") }
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
