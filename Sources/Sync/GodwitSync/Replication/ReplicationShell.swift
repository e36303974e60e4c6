//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
package import GodwitTransport
import Synchronization

/// Runs a replication: performs the actions of its machine, and passes their results to the machine.
final class ReplicationShell: Sendable {
    private let replicator: Replicator
    private let watch: ReplicationWatch
    private let events: AsyncStream<ReplicationMachine.Event>
    private let continuation: AsyncStream<ReplicationMachine.Event>.Continuation
    private let isStopping = Atomic<Bool>(false)

    init(replicator: Replicator, watch: ReplicationWatch) {
        self.replicator = replicator
        self.watch = watch
        // The stream needs no limit, because the machine limits the number of running steps, each step causes at most
        // one event, and external events are rare.
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Passes an external event to the machine.
    func notify(_ event: ReplicationMachine.Event) {
        if case .stop = event { isStopping.store(true, ordering: .relaxed) }
        continuation.yield(event)
    }

    /// Passes changes of the network to the machine.
    private func listen() -> Int {
        NetworkWatch.shared.listen { [continuation] in continuation.yield(.networkChanged) }
    }

    func run() async throws(ReplicationError) -> ReplicationReport {
        var steps = Steps(
            replicator: replicator, continuation: continuation,
            carrier: AttachmentCarrier(source: replicator.source, bytesMax: replicator.carriedBytesMax) { [watch] in
                watch.note(bytes: $0)
            },
            share: replicator.memory.map { ReplicationShare($0, owner: replicator.memoryOwner) })
        do throws(ReplicationError) {
            let report = try await run(&steps)
            await steps.end()
            watch.note(report.wasStopped ? .stopped : .completed)
            return report
        } catch {
            await steps.end()
            watch.note(error.code == .cancelled ? .stopped : .failed)
            throw error
        }
    }

    /// Creates the plan of the run. This may need a request to the source. After a failure, the request is tried again
    /// like the steps of a run.
    private func plan() async throws(ReplicationError) -> ReplicationMachine.Plan {
        var backoff = Backoff(limits: replicator.limits, seed: .random(in: .min ... .max))
        var failures = 0
        while true {
            do throws(ReplicationError) {
                return try await replicator.plan()
            } catch {
                failures += 1
                guard error.isTransient, replicator.isContinuous || failures < replicator.limits.attemptsMax else {
                    throw error
                }
                try await sleep(seconds: backoff.seconds(after: failures, error))
            }
        }
    }

    /// The interval in seconds after which a waiting run checks whether it must stop.
    private static let stopCheckSeconds = 0.2

    /// Waits before another attempt to create the plan. No machine exists yet that could handle a stop, so stops are
    /// checked here.
    private func sleep(seconds: Double) async throws(ReplicationError) {
        var remainingSeconds = seconds
        while remainingSeconds > 0 {
            let pause = min(remainingSeconds, Self.stopCheckSeconds)
            guard !isStopping.load(ordering: .relaxed), (try? await Task.sleep(for: .seconds(pause))) != nil else {
                throw ReplicationError(.cancelled, "the replication was stopped before it began")
            }
            remainingSeconds -= pause
        }
    }

    private func run(_ steps: inout Steps) async throws(ReplicationError) -> ReplicationReport {
        watch.note(.running)
        var machine = ReplicationMachine(try await plan())
        var finisher = PullFinisher(replicator, id: machine.plan.id)
        let start = ContinuousClock.now
        let listener = replicator.isContinuous && replicator.watchesNetwork ? listen() : nil
        defer { if let listener { NetworkWatch.shared.end(listener) } }
        continuation.yield(.begin)
        for await event in events {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            steps.ended(event)
            let actions: [ReplicationMachine.Action]
            do {
                actions = try InvariantScope.run { machine.handle(event, at: seconds) }
            } catch {
                throw ReplicationError(.brokenInvariant, "the replication has a fault and was stopped: \(error)")
            }
            steps.note(documents: machine.bytesHeld, after: event)
            for action in actions {
                switch action {
                case .perform(let id, let operation): steps.perform(operation, id)
                case .sleep(let id, let seconds): steps.sleep(seconds, id)
                case .cancel(let id): steps.cancel(id)
                case .cancelAll: steps.cancelAll()
                case .finish(let result):
                    let report = try result.get()
                    if !report.wasStopped { try await finisher.finishPull() }
                    watch.noteProgress(of: machine)
                    return report
                }
            }
            if machine.state == .idle, watch.state != .idle {
                try await finisher.finishPull()
            }
            watch.note(machine)
        }
        throw ReplicationError(.cancelled, "the replication was cancelled")
    }
}

/// The work of a pull after all changes are replicated: resolving conflicts and purging unmatched documents.
private struct PullFinisher {
    private var resolver: PullResolver?
    private var sweeper: UnmatchedSweeper?

    init(_ replicator: Replicator, id: String) {
        guard let datastore = replicator.pulled else { return }
        if let resolution = replicator.resolution {
            resolver = PullResolver(datastore: datastore, resolution: resolution)
        }
        if case .selector(let selector) = replicator.selection.choice, replicator.onUnmatched == .purge {
            sweeper = UnmatchedSweeper(
                source: replicator.source, datastore: datastore, selector: selector, id: id)
        }
    }

    mutating func finishPull() async throws(ReplicationError) {
        do throws(ReplicationError) {
            try await sweeper?.sweep()
        } catch {
            // A transient failure does not end the replication. The next sweep continues where the failed sweep
            // stopped.
            guard error.isTransient else { throw error }
        }
        await resolver?.resolve()
    }
}

/// The running steps, each in a separate task.
private struct Steps {
    let replicator: Replicator
    let continuation: AsyncStream<ReplicationMachine.Event>.Continuation
    let carrier: AttachmentCarrier
    /// Recognizes the databases. Each start has a new object, because a step that a restart has cancelled may still run. It
    /// must not write a checkpoint for the new databases.
    private var known = KnownInstances()
    /// The bytes that the run has taken from the memory of all replications; `nil` if the run has only its own limits.
    let share: ReplicationShare?
    private var tasks: [ReplicationMachine.OperationID: Task<Void, Never>] = [:]

    init(
        replicator: Replicator, continuation: AsyncStream<ReplicationMachine.Event>.Continuation,
        carrier: AttachmentCarrier,
        share: ReplicationShare?
    ) {
        self.share = share
        self.replicator = replicator
        self.continuation = continuation
        self.carrier = carrier
    }

    mutating func perform(_ operation: ReplicationMachine.Operation, _ id: ReplicationMachine.OperationID) {
        if case .open = operation { known = KnownInstances() }
        tasks[id] = Task(executorPreference: WorkLane.current) { [replicator, continuation, carrier, known, share] in
            do throws(ReplicationError) {
                // Twice the requested size is taken, because a response may be twice as long as requested.
                if case .read(_, let bytesMax) = operation { try await share?.take(2 * bytesMax, for: id) }
                continuation.yield(.done(id, try await replicator.perform(operation, carrier, known)))
            } catch {
                continuation.yield(.failed(id, error))
            }
        }
    }

    mutating func sleep(_ seconds: Double, _ id: ReplicationMachine.OperationID) {
        tasks[id] = Task { [continuation] in
            // If the sleep was cancelled, the machine does not wait for the event.
            if (try? await Task.sleep(for: .seconds(seconds))) != nil { continuation.yield(.woke(id)) }
        }
    }

    mutating func ended(_ event: ReplicationMachine.Event) {
        switch event {
        case .done(let id, _), .failed(let id, _), .woke(let id): tasks[id] = nil
        case .begin, .networkChanged, .stop: break
        }
    }

    /// Records the number of bytes of documents that the machine holds after it handled an event.
    func note(documents: Int, after event: ReplicationMachine.Event) {
        switch event {
        case .done(let id, _), .failed(let id, _): share?.note(documents: documents, ended: id)
        case .begin, .woke, .networkChanged, .stop: share?.note(documents: documents, ended: nil)
        }
    }

    mutating func cancel(_ id: ReplicationMachine.OperationID) { tasks.removeValue(forKey: id)?.cancel() }

    func cancelAll() { for task in tasks.values { task.cancel() } }

    /// Cancels all steps and waits until they have ended.
    func end() async {
        cancelAll()
        for task in tasks.values { await task.value }
        share?.end()
    }
}

extension Replicator {
    /// Performs one step.
    package func perform(
        _ operation: ReplicationMachine.Operation, _ carrier: AttachmentCarrier, _ known: KnownInstances
    ) async throws(ReplicationError) -> ReplicationMachine.Outcome {
        switch operation {
        case .open:
            let (ofSource, ofTarget): (String?, String?)
            do {
                ofSource = try await source.open(creating: false)
            } catch {
                throw error.advising("It is the source of the replication: check its name.")
            }
            do {
                ofTarget = try await target.open(creating: createsTarget)
            } catch {
                throw error.advising(missingTargetAdvice)
            }
            known.opened(ofSource, ofTarget)
            return .opened
        case .loadCheckpoints(let ids):
            guard keepsCheckpoints else { return .checkpoints(ids.map { _ in (nil, nil) }) }
            var checkpoints: [(source: JSONObject?, target: JSONObject?)] = []
            for (position, id) in ids.enumerated() {
                let (ofSource, ofTarget) = (try await source.checkpoint(id), try await target.checkpoint(id))
                if position == 0 { known.loaded(ofTarget) }
                checkpoints.append((known.valid(ofSource), known.valid(ofTarget)))
            }
            return .checkpoints(checkpoints)
        case .checkInstances:
            try await checkInstances(known)
            return .sameInstances
        case .readChanges(let query): return .changes(try await source.changes(query))
        case .findMissing(let revisions): return .missing(try await target.missing(revisions))
        case .read(let wanted, let bytesMax):
            return .read(
                try await source.read(wanted, bytesMax: bytesMax, attachmentBytesMax: carriedBytesMax))
        case .write(let documents, let id):
            let failures = try await target.write(documents, replication: id)
            return .written(failures.map { $0.explained(by: documents) })
        case .carry(let document, let id):
            let failure = try await target.carry(document, by: carrier, replication: id)
            return .carried(failure?.explained(by: [document]))
        case .saveCheckpoints(let id, let body): return .saved(sourceRefused: try await save(id, body, known))
        }
    }

    /// Writes a checkpoint to both databases, if both are still those of the start of the run.
    ///
    /// The target's checkpoint is written first. In the reverse order, the source could have a newer checkpoint of this
    /// run than the target. The next run would then skip documents that are possibly missing in the target.
    ///
    /// - Returns: Whether the source refused the checkpoint, because the user has only the right to read the source. If
    ///   the source refused a checkpoint before, it is not asked again.
    private func save(
        _ id: String, _ body: JSONObject, _ known: KnownInstances
    ) async throws(ReplicationError) -> Bool {
        try await checkInstances(known)
        guard keepsCheckpoints else { return false }
        let body = known.naming(body)
        let current = try await target.checkpoint(id)
        guard known.knows(current) else { throw .checkpointLost }
        known.sends(body)
        var targetBody = body
        targetBody["_rev"] = current?["_rev"]
        try await target.saveCheckpoint(id, targetBody)
        known.sent(body)
        if body[Checkpoint.sourceRefused]?.boolValue == true { return true }
        do throws(ReplicationError) {
            try await source.saveCheckpoint(id, body)
            return false
        } catch {
            guard error.code == .unauthorized else { throw error }
            return true
        }
    }
}
