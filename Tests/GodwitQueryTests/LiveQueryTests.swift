//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitQuery
import GodwitStore
import Observation
import TestKit
import Testing

@Suite("Live queries for user interfaces")
struct LiveQueryTests {
    /// Waits, as a user interface does, until an observed change makes a condition true.
    @MainActor
    private func until(_ condition: @escaping @MainActor () -> Bool) async {
        while !condition() {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = condition()
                } onChange: {
                    continuation.resume()
                }
            }
            // The callback precedes the change.
            await Task.yield()
        }
    }

    @Test("Observers are notified when documents enter, change and leave", .endsWhenHung)
    func observing() async throws {
        try await withDatastore { store in try await self.showObserving(store) }
    }

    @MainActor
    private func showObserving(_ store: Datastore) async throws {
        let query = LiveQuery(["km": ["$gt": 0]], sort: ["km"], in: store)
        #expect(query.isLoading && query.documents.isEmpty)
        await until { !query.isLoading }
        #expect(query.documents.isEmpty)
        _ = try await store.create(Document(id: "a", body: ["km": 7]))
        await until { query.documents.map(\.id) == ["a"] }
        var document = query.documents[0]
        document.body["km"] = 8
        _ = try await store.update(document)
        await until { query.documents.first?.body["km"] == 8 }
        #expect(query.differences.changed == [0])
        try await store.delete("a")
        await until { query.documents.isEmpty }
        #expect(query.error == nil)
    }

    @Test("A stopped one shows no more changes", .endsWhenHung)
    func stopping() async throws {
        try await withDatastore { store in try await self.showStopping(store) }
    }

    @MainActor
    private func showStopping(_ store: Datastore) async throws {
        let query = LiveQuery([:], in: store)
        await until { !query.isLoading }
        query.stop()
        _ = try await store.create(Document(id: "a", body: [:]))
        try await Task.sleep(for: .milliseconds(100))
        #expect(query.documents.isEmpty)
    }

    @Test("A released one is deallocated", .endsWhenHung)
    func releasing() async throws {
        try await withDatastore { store in try await self.showReleasing(store) }
    }

    @MainActor
    private func showReleasing(_ store: Datastore) async throws {
        var query: LiveQuery? = LiveQuery([:], in: store)
        weak let released = query
        await until { query?.isLoading == false }
        query = nil
        #expect(released == nil)
    }

    @Test("An error of the query is shown", .endsWhenHung)
    func failing() async throws {
        try await withDatastore { store in try await self.showFailing(store) }
    }

    @MainActor
    private func showFailing(_ store: Datastore) async throws {
        let query = LiveQuery(["a": ["$strange": 1]], in: store)
        await until { query.error != nil }
        #expect((query.error as? StoreError)?.code == .invalidRequest && !query.isLoading)
    }
}
