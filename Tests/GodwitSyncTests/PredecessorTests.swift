//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitClientNIO
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import TestKit
import Testing

/// An endpoint that counts its calls.
private struct CountingEndpoint: DatabaseEndpoint {
    struct Counts { var (writes, written, listedMost) = (0, 0, 0) }

    let base: LocalEndpoint
    let counts = SharedCounts()

    final class SharedCounts: Sendable { let held = Mutex(Counts()) }

    func identity() async throws(ReplicationError) -> String { try await base.identity() }
    func open(creating: Bool) async throws(ReplicationError) -> String? { try await base.open(creating: creating) }
    func changes(_ query: ChangesQuery) async throws(ReplicationError) -> ChangesPage {
        let page = try await base.changes(query)
        counts.held.withLock { $0.listedMost = max($0.listedMost, page.changes.count) }
        return page
    }
    func missing(_ revisions: [RevisionsOfDocument]) async throws(ReplicationError) -> [WantedRevisions] {
        try await base.missing(revisions)
    }
    func read(
        _ wanted: [WantedRevisions], bytesMax: Int, attachmentBytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead {
        try await base.read(wanted, bytesMax: bytesMax, attachmentBytesMax: attachmentBytesMax)
    }
    func attachment(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, from start: Int
    ) async throws(ReplicationError) -> AttachmentStream {
        try await base.attachment(attachment, of: document, from: start)
    }
    func write(
        _ documents: [ReplicatedDocument], replication id: String
    ) async throws(ReplicationError) -> [ReplicationFailure] {
        counts.held.withLock { ($0.writes, $0.written) = ($0.writes + 1, $0.written + documents.count) }
        return try await base.write(documents, replication: id)
    }
    func carry(
        _ document: ReplicatedDocument, by carrier: AttachmentCarrier, replication id: String
    ) async throws(ReplicationError) -> ReplicationFailure? {
        try await base.carry(document, by: carrier, replication: id)
    }
    func instance() async throws(ReplicationError) -> String? { try await base.instance() }
    func checkpoint(_ id: String) async throws(ReplicationError) -> JSONObject? { try await base.checkpoint(id) }
    func saveCheckpoint(_ id: String, _ body: JSONObject) async throws(ReplicationError) {
        try await base.saveCheckpoint(id, body)
    }
}

@Suite("Faults of the predecessors' replications, by number", .endsWhenHung)
struct PredecessorTests {
    @Test("4: revisions are written in batches, and changes are read in pages")
    func batches() async throws {
        try await withManager { manager in
            let source = try await manager.datastore(named: "source")
            let target = try await manager.datastore(named: "target")
            try await source.fill(0..<5_000)
            let from = CountingEndpoint(base: LocalEndpoint(source))
            let to = CountingEndpoint(base: LocalEndpoint(target))
            _ = try await Replicator(from: from, to: to).run()
            let counts = to.counts.held.withLock { $0 }
            // A batch is smaller on a machine that is slow now.
            #expect(counts.written == 5_000 && counts.writes <= 500)
            #expect(from.counts.held.withLock { $0.listedMost } == ReplicationLimits().changesPerPageMax)
        }
    }

    @Test("6: rows of _bulk_get that are missing or errors are requested individually")
    func unmatchedRows() async throws {
        let singles = Mutex(0)
        let transport = DoctoredTransport { request in
            if request.url.contains("open_revs") { singles.withLock { $0 += 1 } }
            guard request.url.contains("/_bulk_get") else { return nil }
            let plain = try await AsyncHTTPTransport().send(request)
            var text: [UInt8] = []
            for try await piece in plain.body { text += piece }
            var answer = try #require(try JSONValue(parsing: text).objectValue)
            var rows = try #require(answer["results"]?.arrayValue)
            rows.removeFirst(3)
            let id = rows[0]["id"] ?? .null
            rows[0] = [
                "id": id,
                "docs": [["error": ["id": id, "rev": rows[0]["docs"]![0]!["ok"]!["_rev"]!, "error": "internal"]]],
            ]
            rows.append(["id": "stranger", "docs": [["ok": ["_id": "stranger", "_rev": "1-a"]]]])
            rows.append(["id": "nothing", "docs": []])
            answer["results"] = .array(rows)
            return (200, JSONValue.object(answer).jsonText())
        }
        try await withDoctored(transport) { source, target, replicator in
            try await source.fill(0..<20)
            let report = try await replicator.run()
            #expect(report.failures.isEmpty && report.counts.documentsWritten == 20)
            #expect(try target.fingerprint() == source.fingerprint())
            #expect(singles.withLock { $0 } == 4)
        }
    }

    @Test("6: a revision that is superseded during the fetch is replaced by its successor, and the checkpoint advances")
    func superseded() async throws {
        let hook = Mutex<(@Sendable () async throws -> Void)?>(nil)
        let transport = DoctoredTransport { request in
            if request.url.contains("/_bulk_get") {
                let act = hook.withLock { hook in
                    defer { hook = nil }
                    return hook
                }
                try await act?()
            }
            return nil
        }
        try await withDoctored(transport) { source, target, replicator in
            try await source.fill(0..<3)
            hook.withLock { $0 = { try await source.graft(#"{"_id":"d1","_revisions":{"start":2,"ids":["b","1"]}}"#) } }
            let report = try await replicator.run()
            #expect(report.failures.isEmpty)
            #expect(try target.document("d1").revision == RevisionID("2-b"))
            let next = try await replicator.run()
            #expect(next.counts.documentsWritten == 0 && next.endSequence == source.updateSequence.description)
        }
    }

    @Test(
        "7: a peer without _bulk_get is asked for documents one by one, with any error", arguments: [404, 405, 501])
    func noBulkGet(_ status: Int) async throws {
        let asked = Mutex(0)
        let transport = DoctoredTransport { request in
            guard request.url.contains("/_bulk_get") else { return nil }
            asked.withLock { $0 += 1 }
            return (status, #"{"error":"not_found","reason":"missing"}"#)
        }
        try await withDoctored(transport, { $0.readsInFlightMax = 1 }) { source, target, replicator in
            try await source.fill(0..<150)
            #expect(try await replicator.run().failures.isEmpty)
            #expect(try target.fingerprint() == source.fingerprint())
            #expect(asked.withLock { $0 } == 1, "it is asked once")
        }
    }

    @Test(
        "7: a temporary failure of _bulk_get does not count as its absence", arguments: [408, 429, 500, 503])
    func failingBulkGet(_ status: Int) async throws {
        let seen = Mutex((failures: 0, singles: 0))
        let transport = DoctoredTransport { request in
            if request.url.contains("open_revs") { seen.withLock { $0.singles += 1 } }
            guard request.url.contains("/_bulk_get") else { return nil }
            return seen.withLock { seen in
                seen.failures += 1
                return seen.failures <= 2 ? (status, "<html>") : nil
            }
        }
        try await withDoctored(transport) { source, target, replicator in
            try await source.fill(0..<50)
            #expect(try await replicator.run().failures.isEmpty)
            #expect(try target.fingerprint() == source.fingerprint())
            #expect(seen.withLock { $0.singles } == 0)
        }
    }

    @Test("8: the history of a checkpoint ends at its limit")
    func history() async throws {
        try await Way.localToLocal.withEndpoints { ends in
            var last: ReplicationReport?
            for number in 0..<(ReplicationLimits.historyMax + 10) {
                try await ends.source.fill(number..<(number + 1))
                last = try await ends.replicate()
                #expect(last?.counts.missingChecked == 1, "it goes on where the last one ended")
            }
            #expect(last?.history.count == ReplicationLimits.historyMax)
        }
    }

    @Test("14: a session is created below the server's path, again after a failed login, without blocking")
    func session() async throws {
        let seen = Mutex<[String]>([])
        let transport = DoctoredTransport { request in
            guard let position = request.url.firstRange(of: "/deep/couch/") else { return (404, "{}") }
            let path = String(request.url[position.upperBound...])
            request.url.replaceSubrange(position, with: "/")
            let isFirst = seen.withLock { seen in
                defer { seen.append(path) }
                return !seen.contains("_session")
            }
            return path == "_session" && isFirst ? (503, "{}") : nil
        }
        try await withDoctored(
            transport, credentials: .session(user: "admin", password: "secret"), path: "/deep/couch"
        ) { source, target, replicator in
            try await source.fill(0..<3)
            #expect(try await replicator.run().counts.documentsWritten == 3)
            #expect(seen.withLock { $0.filter { $0 == "_session" }.count } == 2)
        }
    }

    @Test("16: progress is reported as bytes of an attachment arrive")
    func attachmentProgress() async throws {
        try await Way.remoteToLocal.withEndpoints { ends in
            let bytes = [UInt8](repeating: 7, count: 3 << 20)
            _ = try await ends.source.create(
                Document(id: "a", body: [:], attachments: ["film": .data(bytes, contentType: "video/mp4")]))
            let told = Mutex<[Int]>([])
            _ = try await Replicator(from: ends.from, to: ends.to).run { progress in
                told.withLock { $0.append(progress.attachmentBytes) }
            }
            let (all, last) = told.withLock { (Set($0), $0.last) }
            #expect(all.count > 3 && last == bytes.count)
        }
    }

    @Test("17: a replicator is a value that can run any number of times, also concurrently")
    func reused() async throws {
        try await Way.localToRemote.withEndpoints { ends in
            try await ends.source.fill(0..<500)
            let replicator = Replicator(from: ends.from, to: ends.to)
            async let first = replicator.run()
            async let second = replicator.run()
            _ = try await (first, second)
            #expect(try ends.target.fingerprint() == ends.source.fingerprint())
            #expect(try await replicator.run().counts.documentsWritten == 0)
        }
    }
}
