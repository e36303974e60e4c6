//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Testing

@testable import GodwitStore

/// Tests writes that share one commit: the writer is blocked until all of them wait.
@Suite("Group commit")
struct GroupCommitTests {
    /// Starts writes one after the other while the writer is busy, and returns the outcome of each.
    private func together(
        _ store: Datastore, _ writes: [@Sendable (WriteTransaction) throws -> RevisionID],
        whileTheyWait: () async -> Void = {}
    ) async throws -> [Result<RevisionID, StoreError>] {
        let (entered, reportEntered) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let holding = Task {
            try await store.transact { _ in
                reportEntered.yield()
                gate.wait()
            }
        }
        for await _ in entered { break }
        var tasks: [Task<Result<RevisionID, StoreError>, Never>] = []
        for (position, write) in writes.enumerated() {
            tasks.append(Task { await outcome(store, write) })
            while store.writesWaiting <= position { await Task.yield() }
        }
        await whileTheyWait()
        gate.signal()
        try await holding.value
        var outcomes: [Result<RevisionID, StoreError>] = []
        for task in tasks { outcomes.append(await task.value) }
        return outcomes
    }

    private func outcome(
        _ store: Datastore, _ write: @escaping @Sendable (WriteTransaction) throws -> RevisionID
    ) async -> Result<RevisionID, StoreError> {
        do throws(StoreError) {
            return .success(try await store.transact(write))
        } catch {
            return .failure(error)
        }
    }

    @Test("A failing write in the middle fails alone, and sequences follow the order of arrival")
    func failureInTheMiddle() async throws {
        try await withDatastore { store in
            try await store.save(#"{"_id":"taken"}"#)
            let ids = ["a", "b", "taken", "c", "taken", "d"]
            let outcomes = try await together(
                store, ids.map { id in { try $0.apply(IncomingDocument(id: id)) } })
            let codes = outcomes.map {
                if case .failure(let error) = $0 { error.code } else { nil as StoreError.Code? }
            }
            #expect(codes == [nil, nil, .conflict, nil, .conflict, nil])
            #expect(try store.changedIDs() == ["taken", "a", "b", "c", "d"])
            #expect(store.updateSequence.number == 5)
        }
    }

    @Test("A later write of a group sees what an earlier one wrote")
    func dependentWrites() async throws {
        try await withDatastore { store in
            let outcomes = try await together(
                store,
                [
                    { try $0.apply(IncomingDocument(id: "a")) },
                    { transaction in
                        let row = try #require(try transaction.documents.row(id: "a"))
                        return try transaction.apply(IncomingDocument(id: "a", revision: row.winner.revision))
                    },
                    { try $0.apply(IncomingDocument(id: "a")) },
                ])
            #expect(try outcomes[1].get().generation == 2)
            #expect(throws: StoreError.self) { try outcomes[2].get() }
            #expect(try store.row("a").winner.revision == outcomes[1].get())
        }
    }

    @Test("A table that a failing write created is created again by the next one")
    func rareTables() async throws {
        try await withDatastore { store in
            let attachment = IncomingDocument.Attachment.inline(name: "x", contentType: "t/x", bytes: [1])
            let outcomes = try await together(
                store,
                [
                    { transaction in
                        _ = try transaction.apply(IncomingDocument(id: "a", attachments: [attachment]))
                        throw StoreError(.conflict, "a refusal of the test's own")
                    },
                    { try $0.apply(IncomingDocument(id: "b", attachments: [attachment])) },
                ])
            #expect(throws: StoreError.self) { try outcomes[0].get() }
            #expect(try outcomes[1].get().generation == 1)
            #expect(try store.changedIDs() == ["b"])
        }
    }

    @Test("More writes than fit one commit are all done, in order")
    func severalGroups() async throws {
        var limits = StoreLimits()
        limits.writesPerCommitMax = 7
        try await withDatastore(limits: limits) { store in
            let ids = (0..<50).map { "\($0)" }
            let outcomes = try await together(
                store, ids.map { id in { try $0.apply(IncomingDocument(id: id)) } })
            #expect(try outcomes.map { try $0.get().generation } == ids.map { _ in 1 })
            #expect(try store.changedIDs() == ids)
        }
    }

    @Test("A write above the limit of waiting writes is refused, the others are done")
    func overload() async throws {
        var limits = StoreLimits()
        limits.writesWaitingMax = 2
        try await withDatastore(limits: limits) { store in
            let outcomes = try await together(
                store, ["a", "b"].map { id in { try $0.apply(IncomingDocument(id: id)) } },
                whileTheyWait: { await expectFailure(.overloaded) { try await store.save(#"{"_id":"c"}"#) } })
            #expect(try outcomes.map { try $0.get().generation } == [1, 1])
            try await store.save(#"{"_id":"c"}"#)
            #expect(try store.changedIDs() == ["a", "b", "c"])
        }
    }

    @Test("Closing finishes a waiting group, and a later write is refused")
    func closing() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                let closing = Shared<Task<Void, Never>?>(nil)
                let outcomes = try await together(
                    store, ["a", "b"].map { id in { try $0.apply(IncomingDocument(id: id)) } },
                    whileTheyWait: {
                        closing.change { $0 = Task { await store.database.close() } }
                        // The hub of the changes is closed before the waiting writes run.
                        #expect(await !store.waitForChange(after: .max))
                    })
                await closing.value?.value
                await expectFailure(.closed) { try await store.save(#"{"_id":"c"}"#) }
                #expect(try outcomes.map { try $0.get().generation } == [1, 1])
            }
            try await directory.withManager { manager in
                let ids = try await manager.datastore(named: "test").changedIDs()
                #expect(ids == ["a", "b"])
            }
        }
    }
}
