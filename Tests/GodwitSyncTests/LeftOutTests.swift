//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import Testing

@Suite("Documents that a target refuses are tried again by each later run")
struct LeftOutTests {
    /// Runs a machine from a checkpoint to its end. The source has no changes but those of `ids`.
    ///
    /// - Parameters:
    ///   - refused: The documents that the target refuses.
    ///   - status: The status of the refusals.
    ///   - gone: The documents that the source does not have any more.
    ///   - newer: The documents of which the source has a newer revision.
    ///   - other: The target's checkpoint, if it differs from the source's.
    /// - Returns: The saved checkpoint, the report, and the documents that the target was asked for.
    private func run(
        from checkpoint: JSONObject?, other: JSONObject? = nil, changes ids: [String], last: String,
        refused: Set<String> = [], status: Int = 403, gone: Set<String> = [], newer: Set<String> = [],
        selection: ReplicationSelection = ReplicationSelection()
    ) throws -> (checkpoint: JSONObject?, report: ReplicationReport, compared: [String]) {
        var plan = ReplicationMachine.Plan(id: "id", sessionID: "session \(last)") { "2026-11-29T00:00:00Z" }
        plan.selection = selection
        var bench = MachineBench(plan)
        try bench.answer(.opened)
        try bench.load(checkpoint, other ?? checkpoint)
        var (saved, compared) = (checkpoint, [String]())
        while bench.result == nil, let asked = bench.asked.first {
            bench.machine.checkInvariants()
            switch asked.operation {
            case .readChanges(let query):
                let isNew = query.after != last
                try bench.answer(page(isNew ? ids : [], last: last), isChanges)
            case .findMissing(let rows):
                compared += rows.map(\.id)
                try bench.answer(
                    .missing(rows.map { WantedRevisions(id: $0.id, revisions: $0.revisions) }), isMissing)
            case .read(let wanted, _):
                var result = RevisionsRead()
                result.documents = wanted.filter { !gone.contains($0.id) }.map {
                    ReplicatedDocument(id: $0.id, revision: newer.contains($0.id) ? two : one, text: [])
                }
                try bench.answer(.read(result), isRead)
            case .write(let written, _):
                try bench.answer(
                    .written(written.map(\.id).filter(refused.contains).map { failure($0, status) }), isWrite)
            case .saveCheckpoints(_, let body):
                saved = body
                try bench.answer(.saved(sourceRefused: false), isSave)
            default: Issue.record("an unexpected step")
            }
            while !bench.sleeps.isEmpty, bench.asked.isEmpty { try bench.wake() }
        }
        return (saved, try #require(bench.result).get(), compared)
    }

    @Test("A refused document fails in each run until the target accepts it; then it is forgotten")
    func everyRun() throws {
        let first = try run(from: nil, changes: ["a", "_design/i", "b"], last: "3", refused: ["_design/i"])
        #expect(first.report.failures.map(\.id) == ["_design/i"] && first.report.counts.documentsWritten == 2)
        #expect(first.checkpoint?["left_out"] == ["_design/i": ["1-a"]])
        #expect(first.checkpoint?["source_last_seq"] == "3")

        let second = try run(from: first.checkpoint, changes: [], last: "3", refused: ["_design/i"])
        #expect(second.report.failures.map(\.id) == ["_design/i"], "the second run does not succeed")
        #expect(second.compared == ["_design/i"], "nothing else is compared")
        #expect(second.checkpoint == first.checkpoint, "an equal checkpoint is not saved")

        let third = try run(from: second.checkpoint, changes: ["c"], last: "4")
        #expect(third.report.failures.isEmpty && third.report.counts.documentsWritten == 2)
        #expect(third.checkpoint?["left_out"] == nil && third.checkpoint?["source_last_seq"] == "4")

        let fourth = try run(from: third.checkpoint, changes: [], last: "4")
        #expect(fourth.compared.isEmpty)
    }

    @Test("A refused document that the source no longer has is forgotten without a failure")
    func gone() throws {
        let first = try run(from: nil, changes: ["a"], last: "1", refused: ["a"])
        let second = try run(from: first.checkpoint, changes: [], last: "1", gone: ["a"])
        #expect(second.report.failures.isEmpty)
        #expect(second.checkpoint?["left_out"] == nil && second.checkpoint?["session_id"] == "session 1")
    }

    @Test("A refused revision that is also in the changes is written once")
    func once() throws {
        let first = try run(from: nil, changes: ["a"], last: "1", refused: ["a"])
        let second = try run(from: first.checkpoint, changes: ["a", "b"], last: "2")
        #expect(second.report.counts.documentsWritten == 2 && second.compared.sorted() == ["a", "b"])
        #expect(second.checkpoint?["source_last_seq"] == "2" && second.checkpoint?["left_out"] == nil)
    }

    @Test("A run that ends before it tried all again does not forget them")
    func stopped() throws {
        let first = try run(from: nil, changes: ["a", "b"], last: "2", refused: ["a", "b"])
        var plan = ReplicationMachine.Plan(id: "id", sessionID: "next") { "2026-11-29T00:00:00Z" }
        plan.isContinuous = true
        var bench = MachineBench(plan)
        try bench.answer(.opened)
        try bench.load(first.checkpoint, first.checkpoint)
        try bench.answer(page(["c"], last: "3"), isChanges)
        bench.tell(.stop)
        #expect(
            bench.result != nil && !bench.asked.contains { isSave($0.operation) }, "no checkpoint replaces the list")
    }

    @Test("A replication of a selection uses the list if both sides have the same, and otherwise compares all again")
    func selections() throws {
        let selection = ReplicationSelection.documents(["a", "b"])
        let first = try run(from: nil, changes: ["a", "b"], last: "2", refused: ["b"], selection: selection)
        #expect(first.checkpoint?["left_out"] == ["b": ["1-a"]])
        let second = try run(from: first.checkpoint, changes: [], last: "2", refused: ["b"], selection: selection)
        #expect(second.compared == ["b"] && second.report.failures.count == 1)

        // Another id was written into the target's checkpoint.
        var planted = try #require(first.checkpoint)
        planted["left_out"] = ["secret": ["1-a"]]
        let third = try run(
            from: first.checkpoint, other: planted, changes: ["a", "b"], last: "2", selection: selection)
        #expect(third.compared == ["a", "b"])
        // Without a selection, the lists of both sides are tried.
        let fourth = try run(from: first.checkpoint, other: planted, changes: [], last: "2")
        #expect(fourth.compared == ["b", "secret"])
    }

    @Test("A full list records no later sequence, so that the next run finds the others again")
    func full() throws {
        let many = (0..<1_001).map { "d\($0)" }
        let first = try run(from: nil, changes: ["x"], last: "1", refused: ["x"])
        let full = try run(from: first.checkpoint, changes: many, last: "9", refused: Set(many).union(["x"]))
        #expect(full.checkpoint?["left_out"]?.objectValue?.count == 1_000)
        #expect(full.checkpoint?["source_last_seq"] == "1")
        let next = try run(from: full.checkpoint, changes: many, last: "9")
        #expect(Set(next.compared) == Set(many).union(["x"]))
        #expect(next.checkpoint?["left_out"] == nil && next.checkpoint?["source_last_seq"] == "9")
    }

    @Test("What fails for another reason while it is tried again stays in the list", arguments: [404, 409, 503])
    func otherFailures(_ status: Int) throws {
        let first = try run(from: nil, changes: ["a"], last: "1", refused: ["a"])
        let second = try run(from: first.checkpoint, changes: ["b"], last: "2", refused: ["a"], status: status)
        #expect(second.checkpoint?["left_out"] == ["a": ["1-a"]] && second.checkpoint?["source_last_seq"] == "2")
        #expect(second.report.failures.map(\.id) == ["a"])
    }

    @Test("A revision that has a descendant is not read in its place")
    func descendants() throws {
        let first = try run(from: nil, changes: ["a"], last: "1", refused: ["a"])
        let second = try run(from: first.checkpoint, changes: [], last: "1", newer: ["a"])
        #expect(second.report.failures.isEmpty && second.report.counts.documentsWritten == 0)
        #expect(second.checkpoint?["left_out"] == nil)
    }
}
