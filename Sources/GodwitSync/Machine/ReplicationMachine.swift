//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitClient
package import GodwitJSON
import GodwitStore

// A replication reads the source's changes in pages, asks the target which revisions it lacks, fetches those and writes
// them, and notes at both sides how far it came. Steps of several pages go on at a time, so that neither side waits for
// the other, and may end in any order; a checkpoint says only that everything before it is done. So the machine keeps a
// queue of pages, counts for each what is not settled yet, and records the place of a page once it and all pages before
// it are settled. A page in which a document failed in a way that may pass is never recorded: the next run has it again.
//
// Every step can be repeated without harm, which is why a step whose answer was lost is simply done again. Each try has
// a number of its own; an answer to a number that is not under way any more is ignored.

/// A replication as a machine without input or output: events go in, actions come out.
///
/// Clock and randomness come from outside too, so a test can replay any run.
package struct ReplicationMachine: Sendable {
    /// The number of one try of a step.
    package typealias OperationID = Int

    /// A step that the machine wants done.
    package enum Operation: Sendable {
        /// Look whether both sides are there.
        case open
        /// Read the checkpoints of these ids at both sides.
        case loadCheckpoints([String])
        case readChanges(ChangesQuery)
        case findMissing([RevisionsOfDocument])
        case read([WantedRevisions], bytesMax: Int)
        case write([ReplicatedDocument], replication: String)
        case carry(ReplicatedDocument, replication: String)
        case saveCheckpoints(id: String, body: JSONObject)
    }

    /// What came of a step.
    package enum Outcome: Sendable {
        case opened
        case checkpoints([(source: JSONObject?, target: JSONObject?)])
        case changes(ChangesPage)
        case missing([WantedRevisions])
        case read(RevisionsRead)
        case written([ReplicationFailure])
        case carried(ReplicationFailure?)
        case saved(sourceRefused: Bool)
    }

    /// What to do next.
    package enum Action: Sendable {
        case perform(OperationID, Operation)
        case sleep(OperationID, seconds: Double)
        /// End this one; its outcome is not wanted any more.
        case cancel(OperationID)
        /// End all that is under way; its outcome is not wanted any more.
        case cancelAll
        /// The last action.
        case finish(Result<ReplicationReport, ReplicationError>)
    }

    /// What happened.
    package enum Event: Sendable {
        case begin
        case done(OperationID, Outcome)
        case failed(OperationID, ReplicationError)
        case woke(OperationID)
        /// There may be a network again: what waits for one is tried at once.
        case networkChanged
        case stop
    }

    /// What the machine is to do.
    package struct Plan: Sendable {
        package var id: String
        /// The id of the same replication without a selection: what it has done need not be done again.
        package var everythingID: String?
        package var sessionID: String
        package var isContinuous = false
        package var selection = ReplicationSelection()
        package var limits = ReplicationLimits()
        package var seed: UInt64 = 0
        /// The time as text, for the history.
        package var now: @Sendable () -> String

        package init(id: String, sessionID: String, now: @escaping @Sendable () -> String) {
            self.id = id
            self.sessionID = sessionID
            self.now = now
        }
    }

    enum Stage { case new, beginning, replicating, stopping, ended }

    /// A step that is under way, or waits to be tried again.
    struct Running: Sendable {
        var operation: Operation
        /// What it is about: the page compared, or the page whose revisions are read.
        var page = 0
        /// What is being written.
        var items: [Item] = []
        var reservedBytes = 0
        var began = 0.0
        /// How often it failed.
        var failures = 0
        var sleep: Sleep?
    }

    /// Why a step waits.
    enum Sleep { case noNetwork, peerFailed }

    /// A document that was read and is not written yet.
    struct Item: Sendable {
        let page: Int
        let document: ReplicatedDocument
        /// How often the target failed to take it.
        var failures = 0
        /// Whether it is sent alone, because those that it was sent with failed.
        var isApart = false
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
    /// Read and to be written, the oldest first.
    var ready: [Item] = []
    /// Read and to be carried.
    var large: [Item] = []
    var bytesHeld = 0
    /// Documents that were asked for once more with all their attachments, because the target lacks an earlier one.
    var repeated: Set<ExactText> = []

    var startSequence: String?
    /// All up to here is done.
    var recorded: String?
    /// Up to here checkpoints say so.
    var saved: String?
    var savedAt = 0.0
    var changesDoneWhenSaved = 0
    var isHeld = false
    /// The sleep after which the changes are read again from where all was done.
    var rewind: OperationID?
    var rewinds = 0
    var sourceRefuses = false
    var earlier: [JSONValue] = []

    var counts = ReplicationCounts()
    var changesDone = 0
    package internal(set) var failures: [ReplicationFailure] = []
    /// Why a step failed that is to be tried again, and how often that happened.
    package internal(set) var trouble: (count: Int, error: ReplicationError)?

    package init(_ plan: Plan) {
        self.plan = plan
        startTime = plan.now()
        backoff = Backoff(limits: plan.limits, seed: plan.seed)
        batch = BatchSize(countMax: plan.limits.revisionsPerBatchMax, bytesMax: plan.limits.readBytesMax)
    }

    /// Takes what happened and gives what to do next.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - time: The seconds of a clock that goes forward, from any origin.
    package mutating func handle(_ event: Event, at time: Double) -> [Action] {
        guard stage != .ended else { return [] }
        // A clock that jumps back makes nothing wait longer.
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
        case (.readChanges(let query), .changes(let page)): listed(page, query, step)
        case (.findMissing, .missing(let wanted)): compared(step.page, wanted)
        case (.read(let asked, _), .read(let result)): read(asked, result, step)
        case (.write, .written(let failed)): written(step.items, failed)
        case (.carry, .carried(let failure)): written(step.items, failure.map { [$0] } ?? [])
        case (.saveCheckpoints(_, let body), .saved(let refused)): checkpointSaved(body, refused)
        default: preconditionFailure("a step of a replication came to the outcome of another")
        }
    }

    /// Starts all that can be started.
    private mutating func advance() {
        readFeed()
        compare()
        readRevisions()
        writeRevisions()
        saveCheckpoint()
        rewindWhenHeld()
        finishWhenDone()
    }

    mutating func start(_ step: Running) {
        var step = step
        step.began = now
        step.sleep = nil
        running[nextID] = step
        actions.append(.perform(nextID, step.operation))
        nextID += 1
    }

    func count(_ isCounted: (Operation) -> Bool) -> Int { running.values.count { isCounted($0.operation) } }

    // MARK: What is told of it

    /// How far it is.
    package var progress: ReplicationProgress {
        let settled = pages.reduce(0) { $0 + $1.changesSettled }
        let known = pages.reduce(feed.pending) { $0 + $1.changes }
        var progress = ReplicationProgress(
            changesDone: changesDone + settled, changesTotal: changesDone + known, counts: counts)
        progress.sourceSequence = pages.last?.lastSequence ?? recorded
        progress.throughSequence = recorded
        progress.checkpointedSequence = saved
        return progress
    }

    /// What it is doing.
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

    /// Checks what must always be true. For tests.
    package func checkInvariants() {
        let held = (ready + large + running.values.flatMap(\.items)).reduce(0) { $0 + $1.document.heldBytes }
        precondition(held == bytesHeld, "\(bytesHeld) bytes are counted and \(held) held")
        precondition(pages.count <= limits.pagesInFlightMax, "too many pages")
        precondition(pages.allSatisfy { $0.unsettled >= 0 }, "a page has settled more than it had")
        precondition(counts.documentsWritten <= counts.documentsRead, "more is written than was read")
        precondition(count { if case .saveCheckpoints = $0 { true } else { false } } <= 1, "two checkpoints at once")
    }
}
