//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitSync
import Testing

@Suite("The steps of a replication, without input or output")
struct MachineTests {
    private func machine(_ limits: ReplicationLimits = ReplicationLimits()) -> ReplicationMachine {
        ReplicationMachine(id: "id", sessionID: "session", limits: limits, now: { "2026-11-21T00:00:00Z" })
    }

    private func revision(_ text: String) throws -> RevisionID { try #require(RevisionID(text)) }

    private func page(_ ids: [String], last: String, pending: Int = 0) throws -> ChangesPage {
        let revision = try revision("1-a")
        return ChangesPage(
            changes: ids.map { RevisionsOfDocument(id: $0, revisions: [revision]) }, lastSequence: last,
            pending: pending)
    }

    @Test("Nothing to do ends at once and writes no checkpoint")
    func nothing() throws {
        var machine = machine()
        guard case .loadCheckpoints("id") = machine.handle(.start) else { return #expect(Bool(false)) }
        guard case .readChanges(nil, 1_000) = machine.handle(.checkpoints(source: nil, target: nil)) else {
            return #expect(Bool(false))
        }
        guard case .finish(let report) = machine.handle(.changes(try page([], last: "7"))) else {
            return #expect(Bool(false))
        }
        #expect(report.endSequence == "7")
        #expect(report.counts == ReplicationCounts())
    }

    @Test("A stub that the target cannot resolve is asked for once more with all attachments, then reported")
    func missingStub() throws {
        var machine = machine()
        _ = machine.handle(.start)
        _ = machine.handle(.checkpoints(source: nil, target: nil))
        _ = machine.handle(.changes(try page(["a"], last: "1")))
        let two = try revision("2-b")
        let wanted = WantedRevisions(id: "a", revisions: [two], knownAncestors: [try revision("1-a")])
        _ = machine.handle(.missing([wanted]))
        let document = ReplicatedDocument(id: "a", revision: two, text: [])
        _ = machine.handle(.documents([document]))
        let stub = ReplicationFailure(id: "a", revision: two, status: 412, error: "missing_stub", reason: "")
        guard case .readRevisions(let again) = machine.handle(.written([stub])) else { return #expect(Bool(false)) }
        #expect(again == [WantedRevisions(id: "a", revisions: [two])])
        _ = machine.handle(.documents([document]))
        guard case .saveCheckpoints = machine.handle(.written([stub])) else { return #expect(Bool(false)) }
        _ = machine.handle(.checkpointsSaved)
        guard case .finish(let report) = machine.handle(.changes(try page([], last: "1"))) else {
            return #expect(Bool(false))
        }
        #expect(report.failures == [stub])
        #expect(report.counts.documentsWritten == 0)
        #expect(report.counts.writeFailures == 1)
    }

    @Test("A revision that the source no longer has is a failure, not a silence")
    func vanished() throws {
        var machine = machine()
        _ = machine.handle(.start)
        _ = machine.handle(.checkpoints(source: nil, target: nil))
        _ = machine.handle(.changes(try page(["a", "b"], last: "2")))
        let one = try revision("1-a")
        _ = machine.handle(.missing(["a", "b"].map { WantedRevisions(id: $0, revisions: [one]) }))
        _ = machine.handle(.documents([ReplicatedDocument(id: "b", revision: one, text: [])]))
        guard case .saveCheckpoints(_, let body) = machine.handle(.written([])) else { return #expect(Bool(false)) }
        #expect(body["history"]?[0]?["doc_write_failures"] == 1)
        #expect(body["history"]?[0]?["docs_written"] == 1)
    }

    @Test("Progress counts what is known, and what is pending with it")
    func progress() throws {
        var limits = ReplicationLimits()
        limits.changesPerPageMax = 2
        var machine = machine(limits)
        _ = machine.handle(.start)
        _ = machine.handle(.checkpoints(source: nil, target: nil))
        _ = machine.handle(.changes(try page(["a", "b"], last: "2", pending: 3)))
        #expect((machine.progress.changesDone, machine.progress.changesTotal) == (0, 5))
        _ = machine.handle(.missing([]))
        #expect((machine.progress.changesDone, machine.progress.changesTotal) == (2, 5))
    }
}

@Suite("Checkpoints")
struct CheckpointTests {
    private func body(session: String, sequence: String, history: [(String, String)] = []) -> JSONObject {
        [
            "session_id": .string(session), "source_last_seq": .string(sequence),
            "history": .array(history.map { ["session_id": .string($0.0), "recorded_seq": .string($0.1)] }),
        ]
    }

    @Test("The place where both sides agree")
    func common() {
        let source = body(session: "s3", sequence: "30", history: [("s3", "30"), ("s2", "20"), ("s1", "10")])
        #expect(Checkpoint.common(nil, source) == nil)
        #expect(Checkpoint.common(source, nil) == nil)
        #expect(Checkpoint.common(source, source) == "30")
        let behind = body(session: "s2", sequence: "20", history: [("s2", "20"), ("s1", "10")])
        #expect(Checkpoint.common(source, behind) == "20")
        let stranger = body(session: "x", sequence: "99", history: [("x", "99")])
        #expect(Checkpoint.common(source, stranger) == nil)
    }

    @Test("A place that is a number or a list, as other peers have it")
    func otherSequences() {
        var number = body(session: "s", sequence: "")
        number["source_last_seq"] = 12
        #expect(Checkpoint.common(number, number) == "12")
        number["source_last_seq"] = [12, "g1AAA"]
        #expect(Checkpoint.common(number, number) == #"[12,"g1AAA"]"#)
    }

    @Test("The id depends on both sides and their order")
    func id() {
        #expect(Checkpoint.id(source: "a", target: "b") == Checkpoint.id(source: "a", target: "b"))
        #expect(Checkpoint.id(source: "a", target: "b") != Checkpoint.id(source: "b", target: "a"))
        #expect(Checkpoint.id(source: "a\nb", target: "c") != Checkpoint.id(source: "a", target: "b\nc"))
    }
}

@Suite("Addresses of databases elsewhere")
struct RemoteURLTests {
    @Test("Credentials are taken out and unescaped")
    func credentials() throws {
        let url = try RemoteURL("http://us%40er:p%3Ass@host:5984/a%2Fb/?x=1#y")
        #expect(url.description == "http://host:5984/a%2Fb")
        guard case .basic("us@er", "p:ss") = url.credentials else { return #expect(Bool(false)) }
    }

    @Test(
        "What is no database's address is refused without repeating it",
        arguments: [
            "ftp://secret@host/db", "http://", "http://u:secret@host", "http://u:secret@host/", "nonsense secret",
        ])
    func invalid(_ text: String) {
        let error = #expect(throws: ReplicationError.self) { try RemoteURL(text) }
        #expect(error?.message.contains("secret") == false)
    }
}
