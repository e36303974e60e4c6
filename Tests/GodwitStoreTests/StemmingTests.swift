//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Stemming")
struct StemmingTests {
    @Test(
        "A history keeps the configured number of revisions, across rows and segments",
        arguments: [1, 2, 5, 31, 40, 100])
    func limits(limit: Int) async throws {
        try await withDatastore { store in
            try await store.setRevisionsMax(limit)
            var document = try await store.create(Document(id: "a", body: ["n": 0]))
            for n in 1..<150 {
                document.body["n"] = .integer(Int64(n))
                document = try await store.update(document)
                #expect(try store.history(of: "a").count == min(n + 1, limit))
            }
            #expect(store.revisionsMax == limit)
            #expect(document.revision?.generation == 150)
        }
    }

    @Test("Every leaf keeps its own history; older revisions are removed, and branches stay separate")
    func branches() throws {
        for world in TreeWorld.all(nodesMax: 6) {
            for limit in 1...4 {
                var tree = RevisionTree()
                for position in world.parents.indices { tree.graft(position, of: world) }
                tree.stem(to: limit)
                var kept: Set<RevisionID> = []
                for leaf in world.leafIndices { kept.formUnion(world.path(leaf).prefix(limit)) }
                #expect(Set(tree.nodes.map(\.revision)) == kept, "\(world), \(limit)")
                #expect(tree.leaves.map(\.revision) == world.leaves.map(\.revision))
                for (revision, parent) in tree.edges {
                    let before = world.edges[revision].flatMap { $0 }
                    #expect(parent == before.flatMap { kept.contains($0) ? $0 : nil })
                }
            }
        }
    }

    @Test("A limit below one is refused")
    func badLimit() async throws {
        try await withDatastore { store in
            await expectFailure(.invalidLimit) { try await store.setRevisionsMax(0) }
            #expect(store.revisionsMax == 1_000)
        }
    }

    @Test("The limit survives a restart")
    func restart() async throws {
        try await withDirectory { directory in
            try await directory.withManager { try await $0.datastore(named: "a").setRevisionsMax(7) }
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "a")
                #expect(store.revisionsMax == 7)
            }
        }
    }
}
