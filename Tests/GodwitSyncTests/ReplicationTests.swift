//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import Testing

@Suite("Replication between real databases")
struct ReplicationTests {
    /// Writes documents of every kind: plain, updated, deleted, in conflict, with attachments, with unusual ids.
    private func fill(_ store: Datastore) async throws {
        for number in 0..<20 { _ = try await store.create(Document(id: "plain-\(number)", body: ["n": 1])) }
        var updated = try await store.create(Document(id: "updated", body: ["n": 0]))
        for number in 1..<40 {
            updated.body["n"] = .integer(Int64(number))
            updated = try await store.update(updated)
        }
        try await store.delete(try await store.create(Document(id: "deleted", body: ["n": 1])))
        for branch in ["b", "c", "d"] {
            try await store.graft(
                #"{"_id":"conflict","_revisions":{"start":2,"ids":["\#(branch)","a"]},"v":"\#(branch)"}"#)
        }
        try await store.graft(#"{"_id":"conflict","_deleted":true,"_revisions":{"start":3,"ids":["e","d","a"]}}"#)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var photo = try await store.create(
            Document(id: "photo", body: [:], attachments: ["a.bin": .data(bytes, contentType: "image/jpeg")]))
        photo.body["caption"] = "Fog"
        photo.attachments["b.txt"] = .data(Array("ä".utf8), contentType: "text/plain")
        _ = try await store.update(photo)
        for id in ["a/b", "ä ö", "with \"quotes\"", "_design/x", "a+b&c=d%20"] {
            _ = try await store.create(Document(id: id, body: ["x": "\u{1F426}\u{0}"]))
        }
    }

    @Test("Every leaf, history, deletion and attachment arrives, with either side remote", arguments: Way.allCases)
    func everything(_ way: Way) async throws {
        try await way.withEndpoints { ends in
            try await fill(ends.source)
            let report = try await ends.replicate()
            #expect(report.failures.isEmpty)
            #expect(try ends.target.fingerprint() == ends.source.fingerprint())
            #expect(report.counts.documentsWritten == report.counts.missingFound)

            let again = try await ends.replicate()
            #expect(again.counts == ReplicationCounts())
            #expect(again.startSequence == report.endSequence)
        }
    }

    @Test("Only changes are sent, without attachments that the target has", arguments: Way.allCases)
    func changesOnly(_ way: Way) async throws {
        try await way.withEndpoints { ends in
            try await fill(ends.source)
            _ = try await ends.replicate()
            var photo = try ends.source.document("photo")
            photo.body["caption"] = "Mountains"
            _ = try await ends.source.update(photo)
            let report = try await ends.replicate()
            #expect(report.counts.documentsWritten == 1)
            #expect(report.counts.missingChecked == 1)
            #expect(try ends.target.fingerprint() == ends.source.fingerprint())
        }
    }

    @Test("Edits on both sides become a conflict with the same winner")
    func bothWays() async throws {
        try await Way.localToRemote.withEndpoints { ends in
            _ = try await ends.source.create(Document(id: "a", body: ["v": 0]))
            _ = try await ends.replicate()
            for (store, value) in [(ends.source, "source"), (ends.target, "target")] {
                var document = try store.document("a")
                document.body["v"] = .string(value)
                _ = try await store.update(document)
            }
            _ = try await ends.replicate()
            _ = try await Replicator(from: ends.to, to: ends.from).run()
            #expect(try ends.source.leaves(of: "a").count == 2)
            #expect(try ends.target.fingerprint() == ends.source.fingerprint())

            let winner = try ends.source.document("a")
            _ = try await ends.source.resolve(winner)
            _ = try await ends.replicate()
            #expect(try ends.target.leaves(of: "a").count == 1)
            #expect(try ends.target.fingerprint() == ends.source.fingerprint())
        }
    }

    @Test("Equal edits of equal parents are one revision")
    func equalEdits() async throws {
        try await Way.localToRemote.withEndpoints { ends in
            _ = try await ends.source.create(Document(id: "a", body: ["x": 1, "y": 2]))
            _ = try await ends.target.create(Document(id: "a", body: ["y": 2, "x": 1]))
            let report = try await ends.replicate()
            #expect(report.counts.missingFound == 0)
            #expect(try ends.target.leaves(of: "a").count == 1)
        }
    }

    @Test("Many pages: a checkpoint after each, where the next run continues")
    func pages() async throws {
        try await Way.localToRemote.withEndpoints { ends in
            for number in 0..<95 { _ = try await ends.source.create(Document(id: "\(number)", body: [:])) }
            var limits = ReplicationLimits()
            limits.changesPerPageMax = 10
            limits.revisionsPerBatchMax = 3
            let report = try await ends.replicate(limits: limits)
            #expect(report.counts.documentsWritten == 95)
            #expect(try ends.target.fingerprint() == ends.source.fingerprint())
            _ = try await ends.source.create(Document(id: "late", body: [:]))
            #expect(try await ends.replicate(limits: limits).counts.missingChecked == 1)
        }
    }

    @Test("A nonexistent target is created only if requested")
    func createTarget() async throws {
        try await withManager { manager in
            let source = try await manager.datastore(named: "source")
            _ = try await source.create(Document(id: "a", body: [:]))
            try await withServer(of: manager) { address in
                let remote = RemoteEndpoint(
                    try RemoteURL("\(address)/new%2Fname"), credentials: .basic(user: "admin", password: "secret"))
                let refused = await #expect(throws: ReplicationError.self) {
                    try await Replicator(.push, source, with: remote).run()
                }
                #expect(refused?.code == .databaseNotFound)
                _ = try await Replicator(.push, source, with: remote, createsTarget: true).run()
                let made = try await manager.existingDatastore(named: "new/name")
                #expect(try made.documentCount == 1)
            }
        }
    }

    @Test("Errors for wrong credentials and unreachable peers do not contain the password")
    func refusals() async throws {
        try await withManager { manager in
            let source = try await manager.datastore(named: "source")
            try await withServer(of: manager) { address in
                let url = try RemoteURL(address.replacing("://", with: "://admin:wr%40ng@") + "/source")
                #expect(!url.description.contains("wr"))
                let refused = await #expect(throws: ReplicationError.self) {
                    try await Replicator(.pull, source, with: RemoteEndpoint(url)).run()
                }
                #expect(refused?.code == .unauthorized)
                #expect(refused?.message.contains("wr@ng") == false)
            }
            let nowhere = RemoteEndpoint(try RemoteURL("http://127.0.0.1:9/db"))
            let failed = await #expect(throws: ReplicationError.self) {
                try await Replicator(.pull, source, with: nowhere).run()
            }
            #expect(failed?.code == .network)
        }
    }
}
