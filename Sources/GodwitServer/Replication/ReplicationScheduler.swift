//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitSync
import HTTPTypes

/// Runs replications: at most `replicationsMax` at a time, each again after a failure, later and later.
///
/// A continuous one that has had its turn makes room for those that wait. Whatever runs is looked at once a turn: its
/// owner may have lost the rights that it runs with.
actor ReplicationScheduler {
    private let endpoints: EndpointFinder
    private let limits: ServerLimits
    private let settings: ServerSettings
    private var jobs: [String: ReplicationJob] = [:]
    private var tasks: [String: Task<Void, Never>] = [:]
    private var runs: [String: ReplicationRun] = [:]
    /// Since when each has run in its turn.
    private var began: [String: ContinuousClock.Instant] = [:]
    /// Jobs that wait for room, the first first.
    private var waiting: [(id: String, next: CheckedContinuation<Bool, Never>)] = []
    private var runningCount = 0
    private var turns: Task<Void, Never>?

    init(endpoints: EndpointFinder, limits: ServerLimits, settings: ServerSettings) {
        self.endpoints = endpoints
        self.limits = limits
        self.settings = settings
    }

    /// All jobs, in the order of their ids.
    var all: [ReplicationJob] { jobs.values.sorted { $0.id < $1.id } }

    func job(_ id: String) -> ReplicationJob? { jobs[id] }

    /// Lists a job that ended before the server started.
    func list(_ job: ReplicationJob) { if jobs[job.id] == nil { jobs[job.id] = job } }

    /// Takes a job that runs as soon as there is room; one that is known already goes on.
    ///
    /// - Parameter onEnd: Told when the job is completed.
    /// - Returns: The job that does the same already; `nil` when this one was taken.
    @discardableResult
    func add(_ job: ReplicationJob, onEnd: @escaping @Sendable (ReplicationJob) async -> Void) -> ReplicationJob? {
        if let other = jobs[job.id], !other.status.state.isTerminal { return other }
        jobs[job.id] = job
        tasks[job.id] = Task { [weak self] in
            await self?.live(job)
            guard !Task.isCancelled else { return }
            await onEnd(job)
        }
        beginTurns()
        return nil
    }

    /// Runs a job at once and lists it meanwhile.
    ///
    /// - Throws: ``HTTPFailure`` or `ReplicationError` when it fails or is cancelled.
    func run(_ job: ReplicationJob) async throws -> ReplicationReport {
        // One that runs already under this id stays the one that is listed.
        let isListed = jobs[job.id] == nil
        if isListed { jobs[job.id] = job }
        defer { if jobs[job.id] === job { jobs[job.id] = nil } }
        job.note(.running, "started")
        let run = try await endpoints.replicator(of: job).start()
        if isListed { runs[job.id] = run }
        defer { if runs[job.id] === run { runs[job.id] = nil } }
        let report = try await ReplicationScheduler.follow(run, of: job)
        guard !report.wasStopped else {
            throw HTTPFailure(.internalServerError, "cancelled", "The replication was cancelled.")
        }
        return report
    }

    /// Ends a job and forgets it.
    ///
    /// - Returns: Whether there was one.
    func cancel(_ id: String) async -> Bool {
        let task = tasks.removeValue(forKey: id)
        // Once: who is told to stop a second time leaves without a checkpoint.
        if let task { task.cancel() } else { runs[id]?.stop() }
        if let place = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: place).next.resume(returning: false)
        }
        let wasThere = jobs.removeValue(forKey: id) != nil
        await task?.value
        return wasThere
    }

    /// Ends all jobs.
    func stop() async {
        turns?.cancel()
        let ending = Array(tasks.values)
        for task in ending { task.cancel() }
        for job in waiting { job.next.resume(returning: false) }
        waiting = []
        for task in ending { await task.value }
    }

    // MARK: The life of a job

    /// How a job's time with room ended.
    private enum Turn {
        case over
        /// Others wait.
        case madeRoom
        case failed(retry: Duration)
    }

    private func live(_ job: ReplicationJob) async {
        while !Task.isCancelled {
            guard await takeRoom(job) else { return }
            let turn = Task.isCancelled ? .over : await turn(of: job)
            giveRoom()
            switch turn {
            case .over: return
            case .madeRoom: continue
            case .failed(let retry): try? await Task.sleep(for: retry)
            }
        }
    }

    /// Waits until fewer than `replicationsMax` run.
    ///
    /// - Returns: Whether there is room; `false` when the job was cancelled meanwhile.
    private func takeRoom(_ job: ReplicationJob) async -> Bool {
        guard runningCount >= settings.options.replicationsMax else {
            runningCount += 1
            return true
        }
        job.note(.pending, "stopped")
        guard !Task.isCancelled else { return false }
        // The room is handed over by the one who had it.
        return await withCheckedContinuation { waiting.append((job.id, $0)) }
    }

    private func giveRoom() {
        runningCount -= 1
        fillRoom()
    }

    private func fillRoom() {
        while !waiting.isEmpty, runningCount < settings.options.replicationsMax {
            runningCount += 1
            waiting.removeFirst().next.resume(returning: true)
        }
    }

    /// Replicates until the job is over, fails or makes room.
    private func turn(of job: ReplicationJob) async -> Turn {
        do {
            let replicator = try await endpoints.replicator(of: job)
            job.note(.running, "started")
            let run = replicator.start()
            runs[job.id] = run
            began[job.id] = .now
            defer {
                if runs[job.id] === run {
                    runs[job.id] = nil
                    began[job.id] = nil
                }
            }
            // Of its own, since cancelling who waits for a report cancels the run before its checkpoint is written.
            let following = Task { try await ReplicationScheduler.follow(run, of: job) }
            let report = try await withTaskCancellationHandler {
                try await following.value
            } onCancel: {
                ReplicationScheduler.stop(run)
            }
            guard !Task.isCancelled else { return .over }
            guard !report.wasStopped else { return .madeRoom }
            job.note(.completed, "stopped")
            return .over
        } catch {
            guard !Task.isCancelled else { return .over }
            job.note(.crashing, "crashed", reason: (error as? ReplicationError)?.message ?? HTTPFailure(error).reason)
            let factor = 1 << min(job.status.errorCount - 1, 20)
            return .failed(
                retry: .seconds(min(limits.replicationRetrySeconds * factor, limits.replicationRetrySecondsMax)))
        }
    }

    /// Lets a run write its checkpoint and end; without it when a peer takes too long.
    private static func stop(_ run: ReplicationRun) {
        run.stop()
        Task {
            try await Task.sleep(for: .seconds(ServerLimits.replicationStopSecondsMax))
            run.stop()
        }
    }

    /// Takes note of what a run does, until it ends.
    private static func follow(_ run: ReplicationRun, of job: ReplicationJob) async throws -> ReplicationReport {
        let before = job.status.counts
        for try await event in run {
            switch event {
            case .progress(let progress):
                job.note(progress, after: before)
                if job.status.state == .crashing, run.state != .offline { job.note(.running, "started") }
            case .trouble(let error):
                if run.state == .offline { job.note(.crashing, "crashed", reason: error.message) }
            case .state(let state):
                if state == .running || state == .idle, job.status.state == .crashing { job.note(.running, "started") }
            case .failure: break
            }
        }
        return try await run.report()
    }

    // MARK: Turns

    private func beginTurns() {
        guard turns == nil else { return }
        turns = Task { [weak self, limits] in
            while (try? await Task.sleep(for: .seconds(limits.replicationTurnSeconds))) != nil {
                await self?.nextTurn()
            }
        }
    }

    /// Lets those that ran longest make room for those that wait, and ends what may not run any more.
    private func nextTurn() async {
        // The setting may have grown.
        fillRoom()
        let before = ContinuousClock.now - .seconds(limits.replicationTurnSeconds)
        let longest = began.filter { $0.value <= before }.sorted { $0.value < $1.value }.map(\.key)
        for id in longest.prefix(min(waiting.count, ServerLimits.replicationsPerTurnMax)) { runs[id]?.stop() }
        for id in runs.keys {
            guard let job = jobs[id], let run = runs[id] else { continue }
            // It begins its next turn with the reason why it cannot.
            if (try? await endpoints.replicator(of: job)) == nil { run.stop() }
        }
    }

    /// Ends the jobs whose owners may not replicate any more.
    func recheck() async {
        for id in runs.keys {
            guard let job = jobs[id], let run = runs[id] else { continue }
            if (try? await endpoints.replicator(of: job)) == nil { run.stop() }
        }
    }
}
