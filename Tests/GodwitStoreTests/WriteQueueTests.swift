//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitStore

@Suite("Writes that wait together")
struct WriteQueueTests {
    @Test("Each of many concurrent writes gets its own result, and sequences have no gap")
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
            #expect(store.documentCount == 200)
        }
    }

    @Test("A write that fails takes none of its neighbours with it")
    func failingNeighbour() async throws {
        try await withDatastore { store in
            try await store.save(#"{"_id":"taken"}"#)
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let id = number.isMultiple(of: 3) ? "taken" : "\(number)"
                        return (try? await store.save(#"{"_id":"\#(id)"}"#)) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(outcomes == 66)
            #expect(store.documentCount == 67)
            #expect(store.updateSequence.number == 67)
        }
    }

    @Test("Of a write that throws half-way nothing stays")
    func rollBack() async throws {
        struct Refusal: Error {}
        try await withDatastore { store in
            await #expect(throws: StoreError.self) {
                try await store.write { transaction in
                    _ = try transaction.save(try incoming(#"{"_id":"a","_attachments":{"x":{"data":"AAAA"}}}"#))
                    throw Refusal()
                }
            }
            #expect(store.documentCount == 0)
            #expect(store.updateSequence.number == 0)
            // The tables that it made are gone as well, and are made again.
            try await store.save(#"{"_id":"a","_attachments":{"x":{"data":"AAAA"}}}"#)
        }
    }

    @Test("Documents of one batch have outcomes of their own")
    func outcomesOfABatch() async throws {
        try await withDatastore { store in
            try await store.save(#"{"_id":"b"}"#)
            let batch = try ["a", "b", "c"].map { try incoming(#"{"_id":"\#($0)"}"#) }
            let outcomes = try await store.writeEach(batch, isReplicated: false)
            let codes = outcomes.map { outcome -> StoreError.Code? in
                if case .failure(let error) = outcome { error.code } else { nil }
            }
            #expect(codes == [nil, .conflict, nil])
            #expect(store.documentCount == 3)
        }
    }

    @Test("Closing finishes the writes that were taken and refuses later ones")
    func closing() async throws {
        try await withDirectory { directory in
            let manager = try DatastoreManager(directory: directory.path, durability: .normal)
            let store = try await manager.datastore(named: "test")
            let writers = (0..<100).map { number in
                Task { (try? await store.save(#"{"_id":"\#(number)"}"#)) != nil }
            }
            await manager.close()
            var kept = 0
            for writer in writers where await writer.value { kept += 1 }
            await expectFailure(.closed) { try await store.save(#"{"_id":"late"}"#) }
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                #expect(store.documentCount == kept)
            }
        }
    }

    @Test("Above its limit of waiting writes a database refuses")
    func overload() async throws {
        var limits = StoreLimits.default
        limits.writesWaitingMax = 4
        try await withDatastore(limits: limits) { store in
            let outcomes = await withTaskGroup(of: StoreError.Code?.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        do {
                            try await store.save(#"{"_id":"\#(number)"}"#)
                            return nil
                        } catch {
                            return (error as? StoreError)?.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.allSatisfy { $0 == nil || $0 == .overloaded })
            #expect(outcomes.count { $0 == nil } == store.documentCount)
        }
    }

    @Test("Sixty-four tasks read and write one store")
    func concurrency() async throws {
        try await withDatastore { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<64 {
                    group.addTask {
                        for round in 0..<8 {
                            let saved = try await store.save(#"{"_id":"\#(task)-\#(round)","n":\#(round)}"#)
                            #expect(try store.document("\(task)-\(round)").revision == saved)
                            _ = try store.changes(after: Int64(task), detail: .bodies)
                            _ = try store.info()
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(store.documentCount == 512)
        }
    }
}
