//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import TestKit
import Testing

@testable import GodwitStore

/// Rules that accept every write. During their first evaluation another write takes place.
private final class SlowRules: WriteValidator, WriteRules {
    private let meanwhile: @Sendable (Datastore) async throws -> Void
    private let questions = Mutex<[[String]]>([])

    init(_ meanwhile: @escaping @Sendable (Datastore) async throws -> Void) { self.meanwhile = meanwhile }

    /// The revisions of each evaluation.
    var asked: [[String]] { questions.withLock { $0 } }

    func rules(of datastore: Datastore) -> (any WriteRules)? { self }

    func refusals(of documents: [IncomingDocument], in datastore: Datastore) async throws -> [StoreError?] {
        let isFirst = questions.withLock { questions in
            questions.append(documents.map { $0.revision?.description ?? "" })
            return questions.count == 1
        }
        if isFirst { try await meanwhile(datastore) }
        return documents.map { _ in nil }
    }

    func refusal(of document: IncomingDocument, in table: DocumentTable) -> StoreError? { nil }
}

/// Runs `body` with a document `a` of one leaf. During the first evaluation of the rules a second leaf is inserted.
private func withRules(_ body: (Datastore, SlowRules) async throws -> Void) async throws {
    let rules = SlowRules { try await $0.graft("a", "b") }
    try await withDirectory { directory in
        let manager = try DatastoreManager(
            directory: directory.path, durability: .normal, key: testKey, indexes: [], validator: rules)
        let store = try await manager.datastore(named: "test")
        try await store.graft("a", "a")
        try await body(store, rules)
        await manager.close()
    }
}

@Suite("Edits that are validated by rules")
struct WriteRulesTests {
    @Test("A leaf that arrived in the meantime is validated and deleted too")
    func deletion() async throws {
        try await withRules { store, rules in
            let deletions = try await store.delete("a")
            #expect(deletions.count == 2)
            #expect(rules.asked == [["1-a"], ["1-b", "1-a"]])
            await expectFailure(.deleted) { _ = try store.document("a") }
        }
    }

    @Test("A resolution of leaves that changed in the meantime is a conflict, or repeated")
    func resolution() async throws {
        try await withRules { store, rules in
            var winner = try store.document("a")
            winner.body["n"] = 1
            await expectFailure(.conflict) { _ = try await store.resolve(winner) }
            #expect(rules.asked.count == 1)
            try await store.resolveConflict(of: "a", by: .keepWinner)
            #expect(try rules.asked.last == ["1-a"] && store.leaves(of: "a").count == 1)
        }
    }
}
