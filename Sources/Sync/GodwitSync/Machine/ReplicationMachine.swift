//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
import GodwitStore
package import GodwitTransport

// A replication reads the source's changes in pages. For each page, it asks the target which revisions the target does
// not have, reads these revisions from the source, and writes them to the target. It saves checkpoints at both sides.
//
// Steps of several pages run at the same time, so that neither side waits for the other. The steps end in any order.
// But a checkpoint says that everything before its sequence is finished. Therefore, the machine has a queue of pages.
// For each page, it counts the unsettled revisions: those that are neither written nor failed. It records the sequence
// of a page when this page and all earlier pages have no unsettled revisions. A page with a transient failure of a
// document is not recorded, so the next run processes it again.
//
// Every step can be repeated without harm, so a step whose response was lost is repeated. Each attempt has its own
// number. A response to an attempt that has ended is ignored.

/// A replication as a state machine that does not access the network or the disk. Its input is a sequence of events,
/// and its output is a sequence of actions.
///
/// The time and the seed of the random numbers are also given from outside, so a test can replay any run.
package struct ReplicationMachine: Sendable {
    /// The number of one attempt of a step.
    package typealias OperationID = Int

    /// A step that the caller of the machine must perform (``ReplicationShell``).
    package enum Operation: Sendable {
        /// Check that both databases exist. The caller may create a target that does not exist.
        case open
        /// Read the checkpoints of these ids at both sides.
        case loadCheckpoints([String])
        /// Check that both databases are still those of the start of the run.
        case checkInstances
        case readChanges(ChangesQuery)
        case findMissing([RevisionsOfDocument])
        case read([WantedRevisions], bytesMax: Int)
        case write([ReplicatedDocument], replication: String)
        case carry(ReplicatedDocument, replication: String)
        case saveCheckpoints(id: String, body: JSONObject)
    }

    /// The result of a step.
    package enum Outcome: Sendable {
        case opened
        case checkpoints([(source: JSONObject?, target: JSONObject?)])
        case sameInstances
        case changes(ChangesPage)
        case missing([WantedRevisions])
        case read(RevisionsRead)
        case written([ReplicationFailure])
        case carried(ReplicationFailure?)
        case saved(sourceRefused: Bool)
    }

    /// An action that the caller of the machine must perform (``ReplicationShell``).
    package enum Action: Sendable {
        case perform(OperationID, Operation)
        case sleep(OperationID, seconds: Double)
        /// Cancel this step and ignore its result.
        case cancel(OperationID)
        /// Cancel all steps and ignore their results.
        case cancelAll
        /// The replication has ended with this result. No further action follows.
        case finish(Result<ReplicationReport, ReplicationError>)
    }

    /// An event.
    package enum Event: Sendable {
        case begin
        case done(OperationID, Outcome)
        case failed(OperationID, ReplicationError)
        case woke(OperationID)
        /// The network may be available again. Steps that wait for the network are repeated at once.
        case networkChanged
        case stop
    }

    /// The parameters of a replication.
    package struct Plan: Sendable {
        /// The id of the replication and of its checkpoints; see ``Checkpoint/id(source:target:selection:)``.
        package var id: String
        /// The id of the same replication without a selection. Changes that the replication without a selection has
        /// already replicated are not processed again.
        package var everythingID: String?
        /// The id of this run, which its checkpoints contain. Each run has a different id.
        package var sessionID: String
        /// Whether the replication waits for further changes when all changes are replicated, instead of ending.
        package var isContinuous = false
        /// The documents to replicate; by default all.
        package var selection = ReplicationSelection()
        /// The limits of the replication.
        package var limits = ReplicationLimits()
        /// The seed of the random part of waits between attempts.
        package var seed: UInt64 = 0
        /// Returns the current time as text, for the history of the checkpoints.
        package var now: @Sendable () -> String

        /// Creates a plan for one run with the default values of the other parameters.
        ///
        /// - Parameters:
        ///   - id: The id of the replication and of its checkpoints.
        ///   - sessionID: The id of this run.
        ///   - now: Returns the current time as text, for the history of the checkpoints.
        package init(id: String, sessionID: String, now: @escaping @Sendable () -> String) {
            self.id = id
            self.sessionID = sessionID
            self.now = now
        }
    }

    enum Stage { case new, beginning, replicating, stopping, ended }

    /// A step that is in progress or waits for another attempt.
    struct Running: Sendable {
        var operation: Operation
        /// The number of the page that the step compares, or whose revisions the step reads.
        var page = 0
        /// The documents that are being written.
        var items: [Item] = []
        /// The memory that is reserved for the documents that the step reads, in bytes.
        var reservedBytes = 0
        /// The time of the start, in seconds.
        var began = 0.0
        /// The number of failures.
        var failures = 0
        /// The reason why the step waits; `nil` while it is performed.
        var sleep: Sleep?
    }

    /// The reason why a step waits.
    enum Sleep { case noNetwork, peerFailed }

    /// A document that was read and is not written yet.
    struct Item: Sendable {
        let page: Int
        let document: ReplicatedDocument
        /// The number of failed attempts to write the document.
        var failures = 0
        /// Whether the document is sent alone, because a request with several documents failed.
        var isApart = false

        /// The key of the document's revision in ``ReplicationMachine/repeated``.
        var revisionKey: ExactText { ExactText("\(document.revision) \(document.id)") }
    }

    let plan: Plan
    var limits: ReplicationLimits { plan.limits }
    let startTime: String
    var stage = Stage.new
    var now = 0.0
    var actions: [Action] = []
    var running: [OperationID: Running] = [:]
    var nextID = 1
    var backoff: Backoff

    var feed = Feed()
    var pages: [Page] = []
    var nextPage = 1
    var batch: BatchSize
    /// The documents to write, in the order in which they will be written.
    var ready: [Item] = []
    /// The documents with large attachments to transfer.
    var large: [Item] = []
    /// The number of bytes of the documents that were read and are not written yet.
    var bytesHeld = 0
    /// The revisions that are read again with all attachments, because the target did not have an attachment that was
    /// sent as a stub. A revision is removed when it is written or refused.
    var repeated: Set<ExactText> = []

    var startSequence: String?
    /// The source's sequence up to which all changes are finished.
    var recorded: String?
    /// The source's sequence of the last saved checkpoint.
    var saved: String?
    /// The time of the last saved checkpoint, in seconds.
    var savedAt = 0.0
    var changesDoneWhenSaved = 0
    /// Whether a transient failure of a document prevents further checkpoints.
    var isHeld = false
    /// The number of the sleep after which the changes are read again from ``recorded``; `nil` if no such sleep is in
    /// progress.
    var rewind: OperationID?
    /// The number of times that changes were planned to be read again.
    var rewinds = 0
    /// Whether the source refuses checkpoints.
    var sourceRefuses = false
    /// The revisions that earlier runs and this one could not write, and that need to be tried again.
    var leftOut = LeftOut()
    /// Whether a revision did not fit into the list. No later sequence is recorded, so that the next run finds it again.
    var isLeftOutFull = false
    /// The list in the last saved checkpoint.
    var savedLeftOut = LeftOut()
    /// The earlier runs that the checkpoints list. This run is not included.
    var earlier: [JSONValue] = []

    /// The number of the sleep after which the instances of the databases are compared; `nil` if there is none.
    var instanceSleep: OperationID?
    /// Whether a step has failed since the instances of the databases were compared.
    var isDoubtful = false
    /// The number of times that the run began again since it last recorded a sequence.
    var restarts = 0

    var counts = ReplicationCounts()
    var changesDone = 0
    package internal(set) var failures: [ReplicationFailure] = []
    /// The error of the last step that failed and is tried again, and the number of all such failures so far.
    package internal(set) var trouble: (count: Int, error: ReplicationError)?

    /// Creates a machine. The run begins with the event ``Event/begin``.
    package init(_ plan: Plan) {
        self.plan = plan
        startTime = plan.now()
        backoff = Backoff(limits: plan.limits, seed: plan.seed)
        batch = BatchSize(countMax: plan.limits.revisionsPerBatchMax, bytesMax: plan.limits.readBytesMax)
    }

    /// Handles an event and returns the actions that follow.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - time: The time of a monotonic clock, in seconds.
    package mutating func handle(_ event: Event, at time: Double) -> [Action] {
        guard stage != .ended else { return [] }
        // If the clock jumps back, the waits must not become longer.
        now = max(now, time)
        switch event {
        case .begin: begin()
        case .done(let id, let outcome): done(id, outcome)
        case .failed(let id, let error): failed(id, error)
        case .woke(let id): wake(id)
        case .networkChanged: wakeAll()
        case .stop: stop()
        }
        if stage == .replicating { advance() }
        defer { actions = [] }
        return actions
    }

    private mutating func begin() {
        invariant(stage == .new, "a replication begins once")
        stage = .beginning
        start(Running(operation: .open))
    }

    private mutating func done(_ id: OperationID, _ outcome: Outcome) {
        guard let step = running[id], step.sleep == nil else { return }
        running[id] = nil
        wakeAll()
        switch (step.operation, outcome) {
        case (.open, .opened):
            start(Running(operation: .loadCheckpoints([plan.id] + (plan.everythingID.map { [$0] } ?? []))))
        case (.loadCheckpoints, .checkpoints(let found)): loaded(found)
        case (.checkInstances, .sameInstances): compareInstancesLater()
        case (.readChanges(let query), .changes(let page)): listed(page, query, step)
        case (.findMissing(let rows), .missing(let wanted)): compared(step, rows, wanted)
        case (.read(let asked, _), .read(let result)): read(asked, result, step)
        case (.write, .written(let failed)): written(step.items, failed)
        case (.carry, .carried(let failure)): written(step.items, failure.map { [$0] } ?? [])
        case (.saveCheckpoints(_, let body), .saved(let refused)): checkpointSaved(body, refused)
        default: preconditionFailure("a step of a replication has the outcome of another step")
        }
        compareInstancesIfDoubtful()
    }

    /// Starts all steps that can start.
    private mutating func advance() {
        readFeed()
        compare()
        readRevisions()
        writeRevisions()
        saveCheckpoint()
        rewindWhenHeld()
        invariant(
            bytesHeld == 0 || !pages.isEmpty, "a document that is held belongs to a page that is not finished")
        finishWhenDone()
    }

    mutating func start(_ step: Running) {
        var step = step
        step.began = now
        step.sleep = nil
        invariant(stage != .ended, "no step starts after the end")
        invariant(running[nextID] == nil, "a step has a number of its own")
        invariant(step.failures >= 0, "a step has no fewer than zero failures")
        running[nextID] = step
        actions.append(.perform(nextID, step.operation))
        nextID += 1
    }

    func count(_ isCounted: (Operation) -> Bool) -> Int { running.values.count { isCounted($0.operation) } }

    // MARK: Reports

    /// The progress.
    package var progress: ReplicationProgress {
        let settled = pages.reduce(0) { $0 + $1.changesSettled }
        let listedCount = pages.reduce(feed.pending) { $0.addingSaturated($1.changes) }
        var progress = ReplicationProgress(
            changesDone: changesDone + settled, changesTotal: listedCount.addingSaturated(changesDone), counts: counts)
        progress.sourceSequence = pages.last?.lastSequence ?? recorded
        progress.throughSequence = recorded
        progress.checkpointedSequence = saved
        return progress
    }

    /// The state.
    package var state: ReplicationState {
        switch stage {
        case .new: .pending
        case .ended, .stopping: .stopped
        case .beginning, .replicating:
            if running.values.contains(where: { $0.sleep != nil && $0.items.isEmpty }) {
                .offline
            } else if plan.isContinuous, feed.isCaughtUp, pages.isEmpty {
                .idle
            } else {
                .running
            }
        }
    }

    /// Checks the invariants, for tests.
    package func checkInvariants() {
        let itemBytes = (ready + large + running.values.flatMap(\.items)).reduce(0) { $0 + $1.document.heldBytes }
        precondition(itemBytes == bytesHeld, "\(bytesHeld) bytes are counted, but \(itemBytes) are held")
        precondition(pages.count <= limits.pagesInFlightMax, "too many pages")
        precondition(zip(pages, pages.dropFirst()).allSatisfy { $0.number < $1.number }, "pages are not in their order")
        precondition(running.keys.allSatisfy { $0 < nextID }, "a step has a number that was not given")
        precondition(pages.allSatisfy { $0.unsettled >= 0 }, "more changes of a page are settled than it has")
        precondition(counts.documentsWritten <= counts.documentsRead, "more documents are written than read")
        precondition(count { if case .saveCheckpoints = $0 { true } else { false } } <= 1, "two checkpoints at once")
    }
}
