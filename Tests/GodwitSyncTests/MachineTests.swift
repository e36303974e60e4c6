//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import Testing

@Suite("The steps of a replication, without I/O")
struct MachineTests {
    @Test("Issue 55: if a database was replaced, the run begins again; without progress it gives up")
    func replaced() throws {
        let error = ReplicationError(.replaced, "another database")
        var bench = try MachineBench.opened()
        try bench.load()
        try bench.answer(page(["a"], last: "1"), isChanges)
        for _ in 1...5 {
            #expect(!bench.asked.isEmpty)
            try bench.fail(error)
            #expect(bench.asked.isEmpty && bench.result == nil, "every other step is cancelled")
            try bench.wake()
            guard case .open? = bench.asked.first?.operation else { return #expect(Bool(false)) }
            try bench.answer(.opened)
            try bench.load()
            bench.machine.checkInvariants()
        }
        try bench.fail(error)
        guard case .failure(let reported)? = bench.result else { return #expect(Bool(false)) }
        #expect(reported.code == .replaced)
    }

    @Test("Without changes it ends immediately, and a second run writes no checkpoint")
    func nothing() throws {
        var bench = try MachineBench.opened()
        try bench.load()
        try bench.answer(page([], last: "7"))
        try bench.answer(.saved(sourceRefused: false), isSave)
        #expect(try bench.result?.get().endSequence == "7")
        #expect(try bench.result?.get().counts == ReplicationCounts())

        let body: JSONObject = ["session_id": "s", "source_last_seq": "7-abc", "history": []]
        var again = try MachineBench.opened()
        try again.load(body, body)
        // A cluster returns another text for the same position.
        try again.answer(page([], last: "7-xyz"))
        #expect(try again.result?.get().endSequence == "7-xyz")
    }

    @Test("A stub that the target cannot resolve is requested once more with all attachments, then reported")
    func missingStub() throws {
        var bench = try MachineBench.opened()
        try bench.load()
        try bench.answer(page(["a"], last: "1"))
        let known = WantedRevisions(id: "a", revisions: [two], knownAncestors: [one])
        try bench.answer(.missing([known]))
        var read = RevisionsRead()
        read.documents = [ReplicatedDocument(id: "a", revision: two, text: [])]
        let stub = ReplicationFailure(id: "a", revision: two, status: 412, error: "missing_stub", reason: "")
        try bench.answer(.read(read))
        try bench.answer(.written([stub]))
        guard case .read(let again, _) = bench.asked.first?.operation else { return #expect(Bool(false)) }
        #expect(again == [WantedRevisions(id: "a", revisions: [two])])
        try bench.answer(.read(read))
        try bench.answer(.written([stub]))
        try bench.answer(.saved(sourceRefused: false), isSave)
        let report = try #require(try bench.result?.get())
        #expect(report.failures == [stub])
        #expect((report.counts.documentsWritten, report.counts.writeFailures) == (0, 1))
    }

    @Test("Two leaves whose stubs the target cannot resolve are requested once more together, and the run ends")
    func missingStubsOfLeaves() throws {
        var bench = try MachineBench.opened()
        try bench.load()
        try bench.answer(page(["a"], last: "1"))
        try bench.answer(.missing([WantedRevisions(id: "a", revisions: [one, two])]))
        var read = RevisionsRead()
        read.documents = [one, two].map { ReplicatedDocument(id: "a", revision: $0, text: []) }
        try bench.answer(.read(read))
        let stubs = [one, two].map {
            ReplicationFailure(id: "a", revision: $0, status: 412, error: "missing_stub", reason: "")
        }
        try bench.answer(.written(stubs))
        guard case .read(let again, _) = bench.asked.first?.operation else { return #expect(Bool(false)) }
        #expect(again == [one, two].map { WantedRevisions(id: "a", revisions: [$0]) })
        try bench.answer(.read(read))
        try bench.answer(.written([]))
        try bench.answer(.saved(sourceRefused: false), isSave)
        #expect(try bench.result?.get().counts.documentsWritten == 2)
    }

    @Test("A revision that the source does not have any more is a failure")
    func vanished() throws {
        var bench = try MachineBench.opened()
        try bench.load()
        try bench.answer(page(["a", "b"], last: "2"))
        try bench.answer(.missing(unreadRevisions(["a", "b"])))
        try bench.answer(documents(["b"]))
        try bench.answer(.written([]))
        guard case .saveCheckpoints(_, let body) = bench.asked.first?.operation else { return #expect(Bool(false)) }
        #expect(body["history"]?[0]?["doc_write_failures"] == 1)
        #expect(body["history"]?[0]?["docs_written"] == 1)
    }

    @Test("A checkpoint never passes an unfinished page, in any order of completion")
    func orderOfPages() throws {
        var bench = try MachineBench.opened { $0.checkpointSecondsMin = 0 }
        try bench.load()
        try bench.answer(page(["a"], last: "1", isLast: false), isChanges)
        try bench.answer(page(["b"], last: "2", isLast: true), isChanges)
        try bench.answer(.missing(unreadRevisions(["a"])), isMissing)
        try bench.answer(.missing([]), isMissing)
        #expect(!bench.asked.contains { isSave($0.operation) })
        try bench.answer(documents(["a"]), isRead)
        try bench.answer(.written([]), isWrite)
        guard case .saveCheckpoints(_, let body) = bench.asked.first?.operation else { return #expect(Bool(false)) }
        #expect(body["source_last_seq"] == "2")
    }

    @Test("A refused document is reported and skipped", arguments: [401, 403, 413])
    func refused(_ status: Int) throws {
        var bench = try MachineBench.opened()
        try bench.load()
        try bench.answer(page(["a", "b"], last: "2"))
        try bench.answer(.missing(unreadRevisions(["a", "b"])))
        try bench.answer(documents(["a", "b"]))
        try bench.answer(.written([failure("a", status)]))
        guard case .saveCheckpoints(_, let body) = bench.asked.first?.operation else { return #expect(Bool(false)) }
        #expect(body["source_last_seq"] == "2")
        try bench.answer(.saved(sourceRefused: false))
        let report = try #require(try bench.result?.get())
        #expect(report.failures == [failure("a", status)])
        #expect(report.counts.documentsWritten == 1)
    }

    @Test("A document that fails temporarily is retried, and delays the checkpoint if it fails again")
    func transient() throws {
        var bench = try MachineBench.opened { $0.attemptsMax = 3 }
        try bench.load()
        try bench.answer(page(["a", "b"], last: "2"))
        try bench.answer(.missing(unreadRevisions(["a", "b"])))
        try bench.answer(documents(["a", "b"]))
        try bench.answer(.written([failure("a", 503)]), isWrite)
        for _ in 0..<2 {
            try bench.wake()
            try bench.answer(.written([failure("a", 503)]), isWrite)
        }
        let report = try #require(try bench.result?.get())
        #expect(report.failures == [failure("a", 503)])
        #expect(report.endSequence == "0", "the next run has it again")
        #expect(!bench.asked.contains { isSave($0.operation) })
    }

    @Test("Documents that fail together are retried separately, and only the faulty one is reported")
    func apart() throws {
        var bench = try MachineBench.opened { $0.attemptsMax = 4 }
        try bench.load()
        try bench.answer(page(["a", "b"], last: "2"))
        try bench.answer(.missing(unreadRevisions(["a", "b"])))
        let broken = ReplicationError(.peerFailed, "500", status: 500)
        for _ in 0..<2 {
            try bench.fail(broken)
            try bench.wake()
        }
        try bench.fail(broken)
        #expect(bench.asked.count == 2)
        for _ in 0..<2 {
            guard case .read(let asked, _) = bench.asked[0].operation else { return #expect(Bool(false)) }
            #expect(asked.count == 1)
            if asked[0].id == "a" {
                for _ in 0..<4 {
                    try bench.answerNothing(broken)
                }
            } else {
                try bench.answer(documents(["b"]), isRead)
            }
        }
        try bench.answer(.written([]), isWrite)
        let report = try #require(try bench.result?.get())
        #expect(report.failures.map(\.id) == ["a"])
        #expect(report.counts.documentsWritten == 1)
    }

    @Test("A run gives up after its attempts; a continuous one waits longer each time, or as long as the peer asks")
    func attempts() throws {
        var once = try MachineBench.opened { $0.attemptsMax = 3 }
        let lost = ReplicationError(.network, "no network")
        for _ in 0..<2 {
            try once.fail(lost)
            try once.wake()
        }
        try once.fail(lost)
        guard case .failure(let error) = once.result else { return #expect(Bool(false)) }
        #expect(error.code == .network)

        var forEver = try MachineBench.opened(continuous: true) { $0.attemptsMax = 3 }
        for _ in 0..<20 {
            try forEver.fail(lost)
            #expect(forEver.machine.state == .offline)
            let wait = try #require(forEver.sleeps.last?.seconds)
            #expect(wait <= 120)
            try forEver.wake()
        }
        #expect(forEver.result == nil)
        try forEver.fail(ReplicationError(.peerFailed, "busy", status: 429, retryAfterSeconds: 600))
        #expect(try #require(forEver.sleeps.last?.seconds) >= 600)
        forEver.tell(.networkChanged)
        #expect(forEver.asked.isEmpty, "who was asked to wait waits")
    }

    @Test("A step that makes progress each time is never given up, and does not wait longer each time")
    func movesOn() throws {
        var bench = try MachineBench.opened { $0.attemptsMax = 3 }
        try bench.load()
        try bench.answer(page(["a"], last: "1"), isChanges)
        try bench.answer(.missing(unreadRevisions(["a"])), isMissing)
        var read = RevisionsRead()
        let film = ReplicatedAttachment(
            name: "film", contentType: "video/mp4", length: 1 << 30, digest: "", revisionPosition: 1)
        read.documents = [ReplicatedDocument(id: "a", revision: one, text: [], attachments: [film])]
        try bench.answer(.read(read), isRead)
        var cut = ReplicationError(.network, "cut")
        cut.hasMovedOn = true
        for _ in 0..<100 {
            try bench.fail(cut)
            #expect(try #require(bench.sleeps.last?.seconds) <= 0.25)
            try bench.wake()
        }
        #expect(bench.result == nil)
        cut.hasMovedOn = false
        for _ in 0..<2 {
            try bench.fail(cut)
            if bench.result == nil { try bench.wake() }
        }
        guard case .failure(let error) = bench.result else { return #expect(Bool(false)) }
        #expect(error.code == .network)
    }

    @Test("If connections fail before a step is complete, it is made smaller")
    func smaller() throws {
        var bench = try MachineBench.opened(continuous: true)
        try bench.load()
        let lost = ReplicationError(.network, "cut")
        var limit = 1_000
        for _ in 0..<30 {
            guard case .readChanges(let query) = bench.asked[0].operation else { return #expect(Bool(false)) }
            limit = query.limit
            try bench.fail(lost)
            try bench.wake()
        }
        #expect(limit == 1)
        try bench.answer(page(["a"], last: "1", isLast: false), isChanges)
        guard case .readChanges(let next) = bench.asked[0].operation else { return #expect(Bool(false)) }
        #expect(next.limit == 2, "and larger again when that gets through")
    }

    @Test("When the network returns, waiting steps continue")
    func networkIsBack() throws {
        var bench = try MachineBench.opened(continuous: true)
        try bench.fail(ReplicationError(.network, "no network"))
        #expect(bench.asked.isEmpty)
        bench.tell(.networkChanged)
        #expect(bench.asked.count == 1)
    }

    @Test("A continuous replication waits for changes, and retries a failed document")
    func continuous() throws {
        var bench = try MachineBench.opened(continuous: true) { $0.attemptsMax = 1 }
        try bench.load()
        try bench.answer(page(["a"], last: "1"), isChanges)
        try bench.answer(.missing(unreadRevisions(["a"])), isMissing)
        try bench.answer(documents(["a"]), isRead)
        try bench.answer(.written([failure("a", 503)]), isWrite)
        #expect(bench.machine.state == .idle)
        guard case .readChanges(let query) = bench.asked.first?.operation else { return #expect(Bool(false)) }
        #expect(query.waits && query.after == "1")
        try bench.wake()
        guard case .readChanges(let again) = bench.asked.first?.operation else { return #expect(Bool(false)) }
        #expect(!again.waits && again.after == nil)
        #expect(bench.machine.failures.isEmpty)
    }

    @Test("Stopping saves the finished work and ends")
    func stop() throws {
        var bench = try MachineBench.opened(continuous: true) { $0.checkpointSecondsMin = 1_000 }
        try bench.load()
        try bench.answer(page(["a"], last: "1", isLast: false), isChanges)
        try bench.answer(page(["b"], last: "2", isLast: false), isChanges)
        try bench.answer(.missing([]), isMissing)
        try bench.answer(.saved(sourceRefused: false), isSave)
        try bench.answer(.missing([]), isMissing)
        bench.tell(.stop)
        guard case .saveCheckpoints(_, let body) = bench.asked.first?.operation else { return #expect(Bool(false)) }
        #expect(bench.asked.count == 1 && body["source_last_seq"] == "2")
        try bench.answer(.saved(sourceRefused: false))
        #expect(try bench.result?.get().wasStopped == true)
    }

    @Test("Stopping twice does not end it without its checkpoint")
    func stopTwice() throws {
        var bench = try MachineBench.opened(continuous: true) { $0.checkpointSecondsMin = 1_000 }
        try bench.load()
        try bench.answer(page(["a"], last: "1", isLast: false), isChanges)
        try bench.answer(.missing([]), isMissing)
        try bench.answer(.saved(sourceRefused: false), isSave)
        try bench.answer(page(["b"], last: "2", isLast: false), isChanges)
        try bench.answer(.missing([]), isMissing)
        bench.tell(.stop)
        bench.tell(.stop)
        #expect(bench.result == nil)
        guard case .saveCheckpoints(_, let body) = bench.asked.first?.operation else { return #expect(Bool(false)) }
        #expect(bench.asked.count == 1 && body["source_last_seq"] == "2")
        try bench.answer(.saved(sourceRefused: false))
        #expect(try bench.result?.get().wasStopped == true)
    }

    @Test("If a source cannot store checkpoints, the replication continues from the target's")
    func readOnlySource() throws {
        var bench = try MachineBench.opened()
        try bench.load()
        try bench.answer(page([], last: "7"))
        try bench.answer(.saved(sourceRefused: true), isSave)
        guard case .saveCheckpoints(_, let body) = bench.asked.first?.operation else { return #expect(Bool(false)) }
        #expect(body["source_refused"] == true)
        try bench.answer(.saved(sourceRefused: true))
        #expect(bench.result != nil)
        var again = try MachineBench.opened()
        try again.load(nil, body)
        guard case .readChanges(let query) = again.asked.first?.operation else { return #expect(Bool(false)) }
        #expect(query.after == "7")
    }

    @Test("Memory is bounded: reading pauses while too much waits to be written")
    func memory() throws {
        var bench = try MachineBench.opened {
            $0.bytesInFlightMax = 10_000
            $0.readBytesMax = 4_000
            $0.writesInFlightMax = 1
            $0.revisionsPerBatchMax = 1
        }
        try bench.load()
        let ids = (0..<20).map { "d\($0)" }
        try bench.answer(page(ids, last: "20"))
        try bench.answer(.missing(unreadRevisions(ids)))
        var held = 0
        while let position = bench.asked.firstIndex(where: { isRead($0.operation) }) {
            guard case .read(let asked, _) = bench.asked[position].operation else { return }
            var result = RevisionsRead()
            result.documents = asked.map {
                ReplicatedDocument(id: $0.id, revision: one, text: Array(repeating: 32, count: 3_000))
            }
            held += 1
            bench.tell(.done(bench.asked.remove(at: position).id, .read(result)))
            bench.machine.checkInvariants()
        }
        #expect(held == 2)
    }

    @Test("Progress counts known and pending changes")
    func progress() throws {
        var bench = try MachineBench.opened()
        try bench.load()
        try bench.answer(page(["a", "b"], last: "2", isLast: false, pending: 3), isChanges)
        #expect((bench.machine.progress.changesDone, bench.machine.progress.changesTotal) == (0, 5))
        try bench.answer(.missing([]), isMissing)
        #expect((bench.machine.progress.changesDone, bench.machine.progress.changesTotal) == (2, 5))
    }
}

extension MachineBench {
    /// Fails a requested read of the document `a`, and ends all pauses. Does nothing if this read was not requested.
    fileprivate mutating func answerNothing(_ error: ReplicationError) throws {
        guard
            let position = asked.firstIndex(where: { question in
                if case .read(let asked, _) = question.operation { asked.map(\.id) == ["a"] } else { false }
            })
        else { return }
        tell(.failed(asked.remove(at: position).id, error))
        while !sleeps.isEmpty { try wake() }
    }
}
