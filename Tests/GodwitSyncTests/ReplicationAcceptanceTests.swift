//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import TestKit
import Testing

@Suite("Acceptance criteria of replication", .endsWhenHung)
struct AcceptanceTests {
    // MARK: 36

    @Test("36: 2500 documents arrive, the checkpoint has the source's position, and a second run requests nothing")
    func many() async throws {
        let asked = Mutex<[String]>([])
        let transport = DoctoredTransport { request in
            asked.withLock { $0.append(request.url) }
            return nil
        }
        for isSource in [true, false] {
            try await withDoctored(transport, isSource: isSource) { source, target, replicator in
                try await source.fill(0..<2_500)
                let report = try await replicator.run()
                #expect(try target.documentCount == 2_500)
                #expect(report.counts.documentsWritten == 2_500)
                #expect(report.endSequence == source.updateSequence.description)
                asked.withLock { $0 = [] }
                let again = try await replicator.run()
                #expect(again.counts == ReplicationCounts())
                #expect(again.startSequence == report.endSequence)
                let urls = asked.withLock { $0 }
                #expect(!urls.contains { $0.contains("_revs_diff") || $0.contains("_bulk") })
            }
        }
    }

    // MARK: 37

    @Test("37: a document of 1500 revisions returns from the peer with the same leaf and history")
    func longHistory() async throws {
        try await withManager { manager in
            let stores = try await [
                manager.datastore(named: "a"), manager.datastore(named: "b"), manager.datastore(named: "c"),
            ]
            var document = try await stores[0].create(Document(id: "long", body: ["n": 0]))
            for number in 1..<1_500 {
                document.body["n"] = .integer(Int64(number))
                document = try await stores[0].update(document)
            }
            try await withServer(of: manager) { address in
                let far = RemoteEndpoint(
                    try RemoteURL("\(address)/b"), credentials: .basic(user: "admin", password: "secret"))
                _ = try await Replicator(.push, stores[0], with: far).run()
                _ = try await Replicator(.pull, stores[2], with: far).run()
            }
            #expect(try stores[2].document("long").revision?.generation == 1_500)
            #expect(try stores[2].fingerprint() == stores[0].fingerprint())
        }
    }

    @Test("37: both directions during writes on both sides, one more cycle, and nothing is pushed back")
    func bothWays() async throws {
        try await Way.localToRemote.withEndpoints { ends in
            let (push, pull) = (Replicator(from: ends.from, to: ends.to), Replicator(from: ends.to, to: ends.from))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (position, store) in [ends.source, ends.target].enumerated() {
                    group.addTask {
                        for number in 0..<150 {
                            var document = try await store.create(Document(id: "\(position)-\(number)", body: [:]))
                            document.body["again"] = true
                            _ = try await store.update(document)
                        }
                    }
                }
                for replicator in [push, pull] {
                    group.addTask { for _ in 0..<5 { _ = try await replicator.run() } }
                }
                try await group.waitForAll()
            }
            for replicator in [push, pull] { _ = try await replicator.run() }
            #expect(try ends.source.fingerprint() == ends.target.fingerprint())
            #expect(try await push.run().counts.missingFound == 0)
            #expect(try await pull.run().counts.missingFound == 0)
        }
    }

    // MARK: 38

    @Test("38: attachments around the limit for inline ones", arguments: Way.allCases)
    func attachmentSizes(_ way: Way) async throws {
        try await way.withEndpoints { ends in
            let limit = ReplicationLimits().attachmentsInlineBytesMax
            for size in [0, limit - 1, limit, limit + 1] {
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                _ = try await ends.source.create(
                    Document(id: "\(size)", body: [:], attachments: ["a": .data(bytes, contentType: "image/png")]))
            }
            #expect(try await ends.replicate().failures.isEmpty)
            #expect(try ends.target.fingerprint() == ends.source.fingerprint())
        }
    }

    @Test("38: a thousand attachments of one document", arguments: Way.allCases)
    func manyAttachments(_ way: Way) async throws {
        try await way.withEndpoints { ends in
            var document = Document(id: "album", body: [:])
            for number in 0..<1_000 {
                let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100 + number)
                document.attachments["\(number).png"] = .data(bytes, contentType: "image/png")
            }
            _ = try await ends.source.create(document)
            #expect(try await ends.replicate().failures.isEmpty)
            #expect(try ends.target.fingerprint() == ends.source.fingerprint())
        }
    }

    @Test("38: an attachment with a later generation than its document", arguments: Way.allCases)
    func laterAttachment(_ way: Way) async throws {
        try await way.withEndpoints { ends in
            for (id, size) in [("small", 100), ("large", 100_000)] {
                let data = String(repeating: "QUJD", count: size / 3)
                try await ends.source.graft(
                    #"{"_id":"\#(id)","_rev":"1-a","_attachments":{"f":{"content_type":"text/plain","revpos":9,"data":"\#(data)"}}}"#
                )
            }
            #expect(try await ends.replicate().failures.isEmpty)
            #expect(try ends.target.fingerprint() == ends.source.fingerprint())
            for id in ["small", "large"] {
                var document = try ends.source.document(id)
                document.body["again"] = true
                _ = try await ends.source.update(document)
            }
            #expect(try await ends.replicate().failures.isEmpty)
            #expect(try ends.target.fingerprint() == ends.source.fingerprint())
        }
    }

    // MARK: 39

    @Test(
        "39: a run that is stopped leaves nothing incomplete, and the next one copies the rest once",
        arguments: Way.allCases)
    func stopped(_ way: Way) async throws {
        try await way.withEndpoints { ends in
            try await ends.source.fill(0..<6_000)
            var limits = ReplicationLimits()
            limits.checkpointSecondsMin = 0
            let run = Replicator(from: ends.from, to: ends.to, limits: limits).start()
            for try await event in run {
                guard case .progress(let progress) = event, progress.counts.documentsWritten > 500 else { continue }
                run.stop()
                break
            }
            let report = try await run.report()
            #expect(report.wasStopped && run.state == .stopped)
            let (whole, part) = (try ends.source.fingerprint(), try ends.target.fingerprint())
            #expect(part.allSatisfy { whole[$0.key] == $0.value })
            let rest = try await ends.replicate()
            #expect(rest.startSequence == report.endSequence)
            // A server can still write the last request of the stopped run after `part` was read.
            let missing = 6_000 - part.count
            #expect(way.isToRemote ? rest.counts.documentsWritten <= missing : rest.counts.documentsWritten == missing)
            #expect(rest.counts.documentsWritten > 0)
            #expect(try ends.target.fingerprint() == whole)
        }
    }

    @Test("39: a temporary series of responses with 500", arguments: [true, false])
    func storm(_ isSource: Bool) async throws {
        let left = Mutex(0)
        let transport = DoctoredTransport { _ in
            let isStorm = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isStorm ? (500, #"{"error":"internal_server_error","reason":"storm"}"#) : nil
        }
        try await withDoctored(transport, isSource: isSource, { $0.attemptsMax = 12 }) { source, target, replicator in
            for round in 0..<4 {
                try await source.fill((round * 300)..<(round * 300 + 300))
                // Before the first progress, there is at most one error: the first request of a run is repeated only
                // for a short time, so that the caller gets the error soon.
                left.withLock { $0 = round == 0 ? 1 : 0 }
                let run = replicator.start()
                var count = 0
                for try await event in run {
                    guard case .progress = event else { continue }
                    count += 1
                    if count == 1 { left.withLock { $0 = 10 } }
                }
                #expect(try await run.report().failures.isEmpty)
                #expect(try target.fingerprint() == source.fingerprint())
            }
        }
    }

    @Test("39: offline in the middle, a run fails and a continuous one continues by itself", arguments: [true, false])
    func offline(_ isSource: Bool) async throws {
        struct Gone: Error {}
        let isGone = Mutex(false)
        let transport = DoctoredTransport { _ in
            if isGone.withLock({ $0 }) { throw Gone() }
            return nil
        }
        try await withDoctored(transport, isSource: isSource, { $0.retrySecondsMax = 0.05 }) { source, target, once in
            try await source.fill(0..<100)
            var replicator = once
            replicator.isContinuous = true
            let run = replicator.start()
            try await eventually { run.state == .idle }
            isGone.withLock { $0 = true }
            try await source.fill(100..<200)
            let failed = await #expect(throws: ReplicationError.self) { try await once.run() }
            #expect(failed?.code == .network)
            try await eventually { isSource || run.state == .offline }
            isGone.withLock { $0 = false }
            try await eventually { try target.documentCount == 200 }
            #expect(try target.fingerprint() == source.fingerprint())
            run.stop()
            #expect(try await run.report().wasStopped)
        }
    }
}
