//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

/// Many tasks use one store. Intended for ThreadSanitizer.
@Suite("Concurrency")
struct ConcurrencyTests {
    /// Increments a counter, and repeats after each conflict with another task.
    private func increment(_ store: Datastore, _ id: String) async throws {
        while true {
            var document = try store.document(id)
            document.body["n"] = .integer(Int64(document.body["n"]?.intValue ?? 0) + 1)
            do {
                _ = try await store.update(document)
                return
            } catch {
                guard error.code == .conflict else { throw error }
            }
        }
    }

    @Test("Sixty-four tasks that increment four documents lose no increment, and every history is complete")
    func counters() async throws {
        try await withDatastore { store in
            for n in 0..<4 { _ = try await store.create(Document(id: "\(n)", body: ["n": 0])) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<64 {
                    group.addTask {
                        for round in 0..<4 { try await increment(store, "\((task + round) % 4)") }
                    }
                    group.addTask {
                        for _ in 0..<8 {
                            let tree = try store.readTogether { table in
                                try table.fullTree(of: try #require(try table.row(id: "\(task % 4)")))
                            }
                            #expect(tree.leaves.count == 1)
                            _ = try store.missing([(id: "\(task % 4)", revisions: [revision("1-a")])])
                            _ = try store.info()
                        }
                    }
                }
                try await group.waitForAll()
            }
            for n in 0..<4 {
                #expect(try store.document("\(n)").body["n"] == 64)
                #expect(try store.row("\(n)").winner.revision.generation == 65)
            }
        }
    }

    @Test("Feeds see the last state of every document while attachments, grafts and deletions are written")
    func feeds() async throws {
        try await withDatastore { store in
            let (writers, rounds) = (16, 5)
            let feeds = (0..<8).map { _ in Task { try await follow(store, until: writers) } }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers { group.addTask { try await write(store, "\(writer)", rounds: rounds) } }
                try await group.waitForAll()
            }
            for feed in feeds {
                let seen = try await feed.value
                #expect(seen == (0..<writers).reduce(into: [:]) { $0["\($1)"] = rounds })
            }
        }
    }

    private func write(_ store: Datastore, _ id: String, rounds: Int) async throws {
        for round in 1...rounds {
            var upload = store.upload()
            try await upload.append([UInt8](repeating: UInt8(round), count: 10_000))
            let blob = try await upload.finish()
            let path = (1...round).reversed().map { RevisionID(generation: $0, hash: .text("w\(id)")) }
            let document = IncomingDocument(
                id: id, revision: path[0], isDeleted: round % 2 == 0, path: path,
                attachments: [.stored(name: "x", contentType: "t/x", blob: blob)])
            _ = try await store.transact { try $0.graft(document) }
            let bytes = try store.read { try $0.attachmentBytes(blob) }
            #expect(bytes.first == UInt8(round))
        }
    }

    /// Follows a feed until each document has reached its last generation, and returns the last seen generations.
    private func follow(_ store: Datastore, until documents: Int) async throws -> [String: Int] {
        var (seen, last) = ([:] as [String: Int], Int64(0))
        for try await change in store.changes() {
            #expect(change.sequence.number > last)
            last = change.sequence.number
            seen[change.id] = change.revision.generation
            if seen.count == documents, seen.values.allSatisfy({ $0 == 5 }) { break }
        }
        return seen
    }

    @Test("A database that many tasks open, delete and create exists or not, and is never in another state")
    func lifeCycle() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                await withTaskGroup(of: Void.self) { group in
                    for task in 0..<16 {
                        group.addTask { await churn(manager, task) }
                    }
                }
                let store = try await manager.datastore(named: "shared")
                try await store.save(#"{"_id":"last"}"#)
                try await store.checkInvariants()
            }
        }
    }

    private func churn(_ manager: DatastoreManager, _ task: Int) async {
        let allowed: Set<StoreError.Code> = [.databaseExists, .databaseNotFound, .closed]
        for round in 0..<6 {
            do {
                if (task + round).isMultiple(of: 3) {
                    try await manager.delete(named: "shared")
                } else {
                    try await manager.datastore(named: "shared").save(#"{"_id":"\#(task)-\#(round)"}"#)
                }
            } catch {
                #expect(allowed.contains((error as? StoreError)?.code ?? .storage), "\(error)")
            }
        }
    }
}
