//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
import GodwitStore

// A replication without input or output: an event goes in, an action comes out, and a shell does it. What the protocol
// demands is in here and can be tried without sockets, files or clocks.
//
//     start ─→ load checkpoints ─→ read changes ─→ find missing ─→ read revisions ─→ write ─┐
//                                     ↑    │            │ none          ↑ more ─────────────┤
//                                     │    │ none       └──────────┐    └───────────────────┤
//                                     │    ↓                       ↓                        │ page done
//                                     │  finish               save checkpoint ←─────────────┘
//                                     └────────────────────────────┘
//
// Invariant: a checkpoint names a place only when every change before it was written at the target or is in `failures`.

/// The steps of one replication from a source to a target.
package struct ReplicationMachine: Sendable {
    /// What the shell is to do.
    package enum Action: Sendable {
        case loadCheckpoints(id: String)
        case readChanges(after: String?, limit: Int)
        case findMissing([RevisionsOfDocument])
        case readRevisions([WantedRevisions])
        case write([ReplicatedDocument])
        case saveCheckpoints(id: String, body: JSONObject)
        case finish(ReplicationReport)
    }

    /// What happened.
    package enum Event: Sendable {
        case start
        case checkpoints(source: JSONObject?, target: JSONObject?)
        case changes(ChangesPage)
        case missing([WantedRevisions])
        case documents([ReplicatedDocument])
        case written([ReplicationFailure])
        case checkpointsSaved
    }

    private enum Step {
        case beginning, loading, listing, comparing, writing, saving, ended
        case reading([WantedRevisions])
    }

    private let id: String
    private let sessionID: String
    private let startTime: String
    private let limits: ReplicationLimits
    private var step = Step.beginning
    private var earlier: [JSONValue] = []
    private var startSequence: String?
    private var sequence: String?
    private var page: ChangesPage?
    private var wanted: ArraySlice<WantedRevisions> = []
    private var underWay: [WantedRevisions] = []
    /// Documents that are asked for once more with all their attachments, because the target lacks an earlier one.
    private var repeated: Set<String> = []
    private var failures: [ReplicationFailure] = []
    private var counts = ReplicationCounts()
    private var changesDone = 0
    private var now: @Sendable () -> String

    /// Creates a machine.
    ///
    /// - Parameters:
    ///   - id: The replication's id.
    ///   - sessionID: The id of this run, random.
    ///   - limits: The sizes of pages and batches.
    ///   - now: The time as text, for the history.
    package init(id: String, sessionID: String, limits: ReplicationLimits, now: @escaping @Sendable () -> String) {
        self.id = id
        self.sessionID = sessionID
        self.limits = limits
        self.now = now
        startTime = now()
    }

    /// How far it is.
    package var progress: ReplicationProgress {
        let known = (page?.changes.count ?? 0) + (page?.pending ?? 0)
        return ReplicationProgress(changesDone: changesDone, changesTotal: changesDone + known, counts: counts)
    }

    /// Takes what happened and gives what to do next.
    package mutating func handle(_ event: Event) -> Action {
        switch (step, event) {
        case (.beginning, .start):
            step = .loading
            return .loadCheckpoints(id: id)
        case (.loading, .checkpoints(let source, let target)):
            startSequence = Checkpoint.common(source, target)
            sequence = startSequence
            earlier = Checkpoint.history(source)
            return readChanges()
        case (.listing, .changes(let page)): return compare(page)
        case (.comparing, .missing(let missing)):
            counts.missingFound += missing.reduce(0) { $0 + $1.revisions.count }
            wanted = missing[...]
            return readNext()
        case (.reading(let asked), .documents(let documents)): return write(documents, asked: asked)
        case (.writing, .written(let failed)): return settle(failed)
        case (.saving, .checkpointsSaved): return readChanges()
        default: preconditionFailure("a replication was told of something that it did not ask for")
        }
    }

    private mutating func readChanges() -> Action {
        step = .listing
        return .readChanges(after: sequence, limit: limits.changesPerPageMax)
    }

    private mutating func compare(_ page: ChangesPage) -> Action {
        guard !page.changes.isEmpty else {
            sequence = page.lastSequence
            step = .ended
            return .finish(report)
        }
        self.page = page
        counts.missingChecked += page.changes.reduce(0) { $0 + $1.revisions.count }
        step = .comparing
        return .findMissing(page.changes)
    }

    private mutating func readNext() -> Action {
        guard !wanted.isEmpty else { return saveCheckpoints() }
        let batch = Array(wanted.prefix(limits.revisionsPerBatchMax))
        wanted = wanted.dropFirst(batch.count)
        step = .reading(batch)
        return .readRevisions(batch)
    }

    private mutating func write(_ documents: [ReplicatedDocument], asked: [WantedRevisions]) -> Action {
        counts.documentsRead += documents.count
        let answered = Set(documents.map(\.id))
        for item in asked where !answered.contains(item.id) {
            fail(
                ReplicationFailure(
                    id: item.id, revision: item.revisions.first, status: 404, error: "not_found",
                    reason: "the source no longer has this revision"))
        }
        guard !documents.isEmpty else { return readNext() }
        underWay = asked
        counts.documentsWritten += documents.count
        step = .writing
        return .write(documents)
    }

    private mutating func settle(_ failed: [ReplicationFailure]) -> Action {
        counts.documentsWritten -= failed.count
        for failure in failed {
            // A stub for bytes that the target turned out not to have: once more, with all attachments.
            if failure.error == ReplicationFailure.missingStub, repeated.insert(failure.id).inserted,
                var again = underWay.first(where: { $0.id == failure.id })
            {
                again.knownAncestors = []
                wanted.append(again)
            } else {
                fail(failure)
            }
        }
        return readNext()
    }

    private mutating func fail(_ failure: ReplicationFailure) {
        counts.writeFailures += 1
        failures.append(failure)
    }

    private mutating func saveCheckpoints() -> Action {
        guard let done = page else { preconditionFailure("a checkpoint follows a page of changes") }
        changesDone += done.changes.count
        sequence = done.lastSequence
        page?.changes = []
        step = .saving
        let session = Checkpoint.Session(
            id: sessionID, startTime: startTime, endTime: now(), startSequence: startSequence ?? "0",
            endSequence: done.lastSequence, counts: counts)
        var body = Checkpoint(sessions: [session]).body
        let others = earlier.filter { $0["session_id"]?.stringValue != sessionID }
        body["history"] = .array([session.json] + others.prefix(ReplicationLimits.historyMax - 1))
        return .saveCheckpoints(id: id, body: body)
    }

    private var report: ReplicationReport {
        ReplicationReport(
            counts: counts, startSequence: startSequence ?? "0", endSequence: sequence ?? "0",
            changesDone: changesDone, failures: failures)
    }
}
