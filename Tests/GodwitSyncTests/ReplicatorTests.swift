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

/// Runs `body` with a source and a target datastore, and the URL of a server that has both.
private func withPair(
    _ body: @escaping @Sendable (_ source: Datastore, _ target: Datastore, _ address: String) async throws -> Void
) async throws {
    try await withManager { manager in
        let source = try await manager.datastore(named: "source")
        let target = try await manager.datastore(named: "target")
        try await withServer(of: manager) { try await body(source, target, $0) }
    }
}

private func fill(_ datastore: Datastore, _ count: Int) async throws {
    for number in 0..<count {
        _ = try await datastore.create(Document(id: "d\(number)", body: ["n": .integer(Int64(number))]))
    }
}

@Suite("Running replications", .endsWhenHung)
struct ReplicatorTests {
    @Test("A continuous replication copies changes until it is stopped", arguments: [false, true])
    func continuous(_ isFar: Bool) async throws {
        try await withPair { source, target, address in
            try await fill(source, 3)
            let remote = try RemoteEndpoint.couchDB(
                "\(address)/source", credentials: .basic(user: "admin", password: "secret"))
            var replicator =
                isFar ? Replicator(.pull, target, with: remote) : Replicator(.pull, target, with: LocalEndpoint(source))
            replicator.isContinuous = true
            let run = replicator.start()
            try await eventually { try target.documentCount == 3 }
            _ = try await source.create(Document(id: "later", body: [:]))
            try await eventually { try target.documentCount == 4 }
            try await eventually { run.state == .idle }
            run.stop()
            let report = try await run.report()
            #expect(report.wasStopped && report.counts.documentsWritten == 4)
            #expect(run.state == .stopped)

            // The next run resumes from the checkpoint.
            replicator.isContinuous = false
            #expect(try await replicator.run().counts == ReplicationCounts())
        }
    }

    @Test("Cancelling ends a run immediately, and a released run is cancelled")
    func cancel() async throws {
        try await withPair { source, target, _ in
            var replicator = Replicator(.push, source, with: LocalEndpoint(target))
            replicator.isContinuous = true
            let task = Task { [replicator] in try await replicator.run() }
            try await Task.sleep(for: .milliseconds(50))
            task.cancel()
            let error = await #expect(throws: ReplicationError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            _ = replicator.start()
            _ = try await source.create(Document(id: "a", body: [:]))
            try await Task.sleep(for: .milliseconds(50))
            #expect(try target.documentCount == 0)
        }
    }

    @Test("A run reports its states, its progress and its end")
    func events() async throws {
        try await withPair { source, target, _ in
            try await fill(source, 20)
            let run = Replicator(.push, source, with: LocalEndpoint(target)).start()
            var states: [ReplicationState] = []
            var last = ReplicationProgress()
            for try await event in run {
                if case .state(let state) = event { states.append(state) }
                if case .progress(let progress) = event { last = progress }
            }
            #expect(states == [.running, .completed])
            #expect((last.changesDone, last.changesTotal) == (20, 20))
            #expect(run.progress == last)
        }
    }

    @Test("A run with a time limit is stopped, and later ones finish")
    func deadline() async throws {
        try await withPair { source, target, _ in
            try await fill(source, 50)
            var limits = ReplicationLimits()
            limits.changesPerPageMax = 1
            limits.pagesInFlightMax = 1
            limits.checkpointSecondsMin = 0
            let replicator = Replicator(.push, source, with: LocalEndpoint(target), limits: limits)
            var report = try await replicator.run(secondsMax: 0.005)
            #expect(report.wasStopped)
            // Each run gets more time, because a short run may make no progress on a busy machine.
            for round in 1...200 where report.wasStopped {
                report = try await replicator.run(secondsMax: 0.02 * Double(round))
            }
            #expect(try !report.wasStopped && target.documentCount == 50)
        }
    }

    @Test("With a policy, a replication runs repeatedly, when allowed")
    func policy() async throws {
        try await withPair { source, target, _ in
            let allowed = Mutex(false)
            let policy = ReplicationPolicy(intervalSeconds: 0.01, runSecondsMax: 10) { allowed.withLock { $0 } }
            let replicator = Replicator(.push, source, with: LocalEndpoint(target))
            let task = Task { await replicator.run(by: policy) }
            try await fill(source, 2)
            try await Task.sleep(for: .milliseconds(100))
            #expect(try target.documentCount == 0)
            allowed.withLock { $0 = true }
            try await eventually { try target.documentCount == 2 }
            _ = try await source.create(Document(id: "later", body: [:]))
            try await eventually { try target.documentCount == 3 }
            task.cancel()
            await task.value
        }
    }

    @Test("A delegate gets the predecessor's four calls")
    func delegate() async throws {
        final class Listener: ReplicatorDelegate {
            let told = Mutex<[String]>([])
            func replicatorDidChangeState(_ run: ReplicationRun) { told.withLock { $0.append("state") } }
            func replicatorDidChangeProgress(_ run: ReplicationRun) { told.withLock { $0.append("progress") } }
            func replicatorDidComplete(_ run: ReplicationRun) { told.withLock { $0.append("complete") } }
            func replicatorDidError(_ run: ReplicationRun, error: ReplicationError) {
                told.withLock { $0.append("error \(error.code)") }
            }
        }
        try await withPair { source, target, address in
            try await fill(source, 2)
            let listener = Listener()
            Replicator(.push, source, with: LocalEndpoint(target)).start(telling: listener)
            try await eventually { listener.told.withLock { $0.last } == "complete" }
            #expect(listener.told.withLock { Set($0) } == ["state", "progress", "complete"])
            let nobody = try RemoteEndpoint.couchDB("\(address)/source", credentials: Credentials.none)
            let other = Listener()
            Replicator(.push, source, with: nobody).start(telling: other)
            try await eventually { other.told.withLock { $0.last } == "error unauthorized" }
        }
    }

    @Test("Conflicts from a pull are resolved with it")
    func resolution() async throws {
        try await withPair { source, target, _ in
            _ = try await source.create(Document(id: "a", body: ["v": 0]))
            var pull = Replicator(.pull, target, with: LocalEndpoint(source))
            _ = try await pull.run()
            for (store, value) in [(source, "source"), (target, "target")] {
                var document = try store.document("a")
                document.body["v"] = .string(value)
                _ = try await store.update(document)
            }
            pull.resolution = PullResolution(
                ConflictResolver { conflict in
                    .keep(try #require(conflict.leaves.first { $0.body["v"] == "target" }?.revision))
                })
            _ = try await pull.run()
            #expect(try target.leaves(of: "a").count == 1)
            #expect(try target.document("a").body["v"] == "target")
        }
    }
}

@Suite("Selection of documents")
struct SelectionTests {
    private func ids(_ datastore: Datastore) throws -> Set<String> {
        Set(try datastore.changes(after: 0, detail: .leaves).rows.map(\.id))
    }

    @Test("By ids, by a selector and by a function")
    func choices() async throws {
        try await withPair { source, target, address in
            try await fill(source, 20)
            let remote = try RemoteEndpoint.couchDB(
                "\(address)/source", credentials: .basic(user: "admin", password: "secret"))
            for from: any DatabaseEndpoint in [LocalEndpoint(source), remote] {
                var replicator = Replicator(from: from, to: LocalEndpoint(target))
                replicator.selection = .documents(["d3", "d4", "nowhere"])
                _ = try await replicator.run()
                replicator.selection = try .matching(["n": ["$gte": 18]])
                _ = try await replicator.run()
                #expect(try ids(target) == ["d3", "d4", "d18", "d19"])
            }
            let small = ReplicationSelection.filter(named: "small") { document in
                (document.body["n"]?.intValue ?? 0) < 2
            }
            _ = try await Replicator(.push, source, with: LocalEndpoint(target), selection: small).run()
            #expect(try ids(target) == ["d0", "d1", "d3", "d4", "d18", "d19"])
            await #expect(throws: ReplicationError.self) {
                var replicator = Replicator(from: remote, to: LocalEndpoint(target))
                replicator.selection = small
                _ = try await replicator.run()
            }
        }
    }

    @Test("A narrower selection continues from that of all documents, a wider one starts again")
    func change() async throws {
        try await withPair { source, target, _ in
            try await fill(source, 20)
            var replicator = Replicator(from: LocalEndpoint(source), to: LocalEndpoint(target))
            replicator.selection = try .matching(["n": ["$gte": 18]])
            #expect(try await replicator.run().counts.documentsWritten == 2)
            replicator.selection = try .matching(["n": ["$gte": 10]])
            #expect(try await replicator.run().counts.documentsWritten == 8)
            replicator.selection = ReplicationSelection()
            #expect(try await replicator.run().counts.documentsWritten == 10)
            replicator.selection = try .matching(["n": ["$gte": 5]])
            #expect(try await replicator.run().changesDone == 0)
        }
    }

    @Test("Documents that do not match the selector any more are purged if requested, but no local ones")
    func unmatched() async throws {
        try await withPair { source, target, address in
            for id in ["stays", "leaves", "deleted", "edited"] {
                _ = try await source.create(Document(id: id, body: ["type": "trip"]))
            }
            let remote = try RemoteEndpoint.couchDB(
                "\(address)/source", credentials: .basic(user: "admin", password: "secret"))
            var pull = Replicator(.pull, target, with: remote, selection: try .matching(["type": "trip"]))
            _ = try await pull.run()
            for id in ["leaves", "edited"] {
                var document = try source.document(id)
                document.body["type"] = "other"
                _ = try await source.update(document)
            }
            _ = try await source.delete(try source.document("deleted"))
            var edited = try target.document("edited")
            edited.body["note"] = "mine"
            _ = try await target.update(edited)
            _ = try await pull.run()
            #expect(try ids(target) == ["stays", "leaves", "deleted", "edited"], "they stay by default")
            pull.onUnmatched = .purge
            _ = try await pull.run()
            #expect(try ids(target) == ["stays", "edited"])
            #expect(try target.document("edited").body["note"] == "mine")
            #expect(try await pull.run().counts.documentsWritten == 0)
        }
    }

    @Test("The error for an invalid selector gives the reason")
    func invalid() {
        let error = #expect(throws: ReplicationError.self) {
            try ReplicationSelection.matching(["n": ["$what": 1]])
        }
        #expect(error?.code == .invalidSelection)
    }

    @Test("A start position")
    func since() async throws {
        try await withPair { source, target, _ in
            try await fill(source, 10)
            let position = source.updateSequence
            _ = try await source.create(Document(id: "new", body: [:]))
            var replicator = Replicator(from: LocalEndpoint(source), to: LocalEndpoint(target))
            replicator.selection.since = position.description
            #expect(try await replicator.run().counts.documentsWritten == 1)
        }
    }
}

@Suite("Identification to the peer")
struct CredentialsTests {
    @Test("A session is created, renewed when the peer drops it, and the password is sent nowhere else")
    func session() async throws {
        try await withPair { source, target, address in
            try await fill(source, 3)
            let seen = Mutex<[String]>([])
            let spy = RequestInterceptor(onRequest: { request in
                let names = request.headers.map(\.name)
                seen.withLock { $0.append(names.contains("Cookie") ? "cookie" : names.joined()) }
                // Once, the session is replaced by a session that the peer does not know.
                if seen.withLock({ $0.count }) == 3, let position = names.firstIndex(of: "Cookie") {
                    request.headers[position].value =
                        "AuthSession=YWRtaW46NjUwMDAwMDA6YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE"
                }
            })
            let remote = try RemoteEndpoint.couchDB(
                "\(address)/source", credentials: .session(user: "admin", password: "secret"), interceptor: spy)
            let report = try await Replicator(.pull, target, with: remote).run()
            #expect(report.counts.documentsWritten == 3)
            #expect(seen.withLock { Set($0) } == ["cookie"])

            let wrong = try RemoteEndpoint.couchDB(
                "\(address)/source", credentials: .session(user: "admin", password: "wrong"))
            let refused = await #expect(throws: ReplicationError.self) {
                try await Replicator(.pull, target, with: wrong).run()
            }
            #expect(refused?.code == .unauthorized)
        }
    }

    @Test("A token is requested, and again when the peer refuses it")
    func bearer() async throws {
        try await withPair { source, target, address in
            let asked = Mutex(0)
            let remote = try RemoteEndpoint.couchDB(
                "\(address)/source",
                credentials: .bearer {
                    asked.withLock { $0 += 1 }
                    return "no.such.token"
                })
            let refused = await #expect(throws: ReplicationError.self) {
                try await Replicator(.pull, target, with: remote).run()
            }
            #expect(refused?.code == .unauthorized || refused?.code == .peerFailed)
            #expect(asked.withLock { $0 } >= 1)
            #expect(refused?.message.contains("no.such.token") == false)
        }
    }

    @Test("An interceptor sees requests and responses, and may request one retry")
    func interceptor() async throws {
        try await withPair { source, target, address in
            try await fill(source, 1)
            let tries = Mutex(0)
            let interceptor = RequestInterceptor(
                onRequest: { request in
                    // The header with the credentials is added in the second attempt of each request.
                    if tries.withLock({ $0 % 2 }) == 1 {
                        request.headers.append(("Authorization", "Basic YWRtaW46c2VjcmV0"))
                    }
                    tries.withLock { $0 += 1 }
                },
                onResponse: { _, response in response.status == 401 })
            let remote = try RemoteEndpoint.couchDB(
                "\(address)/source", credentials: Credentials.none, interceptor: interceptor)
            #expect(try await Replicator(.pull, target, with: remote).run().counts.documentsWritten == 1)
        }
    }

    @Test("Data for other machines is compressed")
    func packed() async throws {
        try await withPair { source, target, address in
            try await fill(source, 500)
            let packed = Mutex(0)
            let spy = RequestInterceptor(
                onRequest: { request in
                    if request.headers.contains(where: { $0 == ("Content-Encoding", "gzip") }) {
                        packed.withLock { $0 += 1 }
                    }
                },
                onResponse: { _, response in
                    if response["Content-Encoding"] != nil {
                        packed.withLock { $0 += 1_000 }
                    }
                    return false
                })
            for name in ["source", "target"] {
                let remote = RemoteEndpoint(
                    try RemoteURL("\(address)/\(name)"), credentials: .basic(user: "admin", password: "secret"),
                    interceptor: spy, packs: true, transport: AsyncHTTPTransport())
                if name == "source" {
                    _ = try await Replicator(.pull, target, with: remote).run()
                    #expect(try target.fingerprint() == source.fingerprint())
                    _ = try await source.create(
                        Document(id: "more", body: ["t": .string(String(repeating: "x", count: 5_000))]))
                } else {
                    _ = try await Replicator(.push, source, with: remote).run()
                    #expect(try target.fingerprint() == source.fingerprint())
                }
            }
            #expect(packed.withLock { $0 % 1_000 > 0 && $0 > 1_000 })
        }
    }
}
