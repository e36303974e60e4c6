//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite
import Testing

@testable import GodwitStore

@Suite("Budgets of statements")
struct StatementBudgetTests {
    /// Counts to a thousand million, which takes minutes.
    private func count(_ table: DocumentTable) throws -> Int {
        let statement = try table.connection.statement(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT count(*) FROM n"
        )
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    @Test("A statement ends when its request has used its steps, and the connection can be used")
    func steps() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: [:]))
            var limits = WorkBudget.Limits()
            limits.stepsMax = 1_000_000
            await WorkBudget.$current.withValue(WorkBudget(limits)) {
                await expectFailure(.tooCostly) { _ = try store.read { try count($0) } }
                await expectFailure(.tooCostly) { _ = try store.readTogether { try count($0) } }
                await expectFailure(.tooCostly) {
                    _ = try await store.snapshot { snapshot in try snapshot.read { try count($0) } }
                }
            }
            #expect(try store.document("a").id == "a")
            #expect(try store.readTogether { try $0.row(id: "a") } != nil)
        }
    }

    @Test("A statement ends when its request is cancelled")
    func cancellation() async throws {
        try await withDatastore { store in
            let budget = WorkBudget()
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let work = Task {
                try await WorkBudget.$current.withValue(budget) {
                    try await BlockingPool.shared.run {
                        begin.finish()
                        return try store.read { try count($0) }
                    }
                }
            }
            for await _ in begun {}
            budget.cancel()
            await expectFailure(.cancelled) { _ = try await work.value }
        }
    }

    @Test("A read of one state of a catalogue ends when its work is cancelled")
    func catalogue() async throws {
        try await withDirectory { directory in
            let path = directory.path + "/catalogue.sqlite"
            let file = try CatalogueFile(path: path, version: 1, schema: "", disk: .system)
            let budget = WorkBudget(.cancellationOnly)
            budget.cancel()
            WorkBudget.$current.withValue(budget) {
                #expect(throws: SQLiteError.self) {
                    try file.readSnapshot { try count(DocumentTable($0, scope: .all)) }
                }
            }
            file.close()
        }
    }

    @Test("A build of an index has no budget: it does not end with the first request")
    func builds() async throws {
        let budget = WorkBudget()
        budget.cancel()
        try await WorkBudget.$current.withValue(budget) {
            let builds = IndexBuilds(of: "test", path: "test", journal: WorkJournal(storesNames: true))
            let index = IndexDescription(
                number: 1, kind: "json", design: "_design/x", name: "y", definition: [], state: .behind, sequence: 0,
                purges: 0)
            try await builds.take(index, at: { DatabaseState() }) { #expect(WorkBudget.current == nil) }
        }
    }

    @Test("Sending a response to a client restores steps, up to the limit, but not after the work has ended")
    func givingBack() {
        var limits = WorkBudget.Limits()
        limits.stepsMax = 10_000
        let budget = WorkBudget(limits)
        #expect(budget.draw(9_000) == nil)
        budget.release(forBytesSent: 50)
        #expect(budget.draw(6_000) == nil)
        budget.release(forBytesSent: 1_000_000)
        #expect(budget.draw(10_000) == nil)
        #expect(budget.draw(1) == .stepsExhausted(stepsMax: 10_000))
        budget.release(forBytesSent: 1_000_000)
        #expect(budget.end == .stepsExhausted(stepsMax: 10_000))
    }
}
