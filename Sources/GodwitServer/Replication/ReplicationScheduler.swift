//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitSync
import HTTPTypes

/// Runs replications: at most `replicationsMax` at a time, each again after a failure, later and later.
actor ReplicationScheduler {
    private let endpoints: EndpointFinder
    private let limits: ServerLimits
    private var jobs: [String: ReplicationJob] = [:]
    private var tasks: [String: Task<Void, Never>] = [:]
    private var waiting: [String] = []
    private var runningCount = 0

    init(endpoints: EndpointFinder, limits: ServerLimits) {
        self.endpoints = endpoints
        self.limits = limits
    }

    /// All jobs, in the order of their ids.
    var all: [ReplicationJob] { jobs.values.sorted { $0.id < $1.id } }

    func job(_ id: String) -> ReplicationJob? { jobs[id] }

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
        return nil
    }

    /// Runs a job at once and lists it meanwhile.
    func run(_ job: ReplicationJob) async throws -> ReplicationReport {
        // One that runs already under this id stays the one that is listed.
        if jobs[job.id] == nil { jobs[job.id] = job }
        defer { if jobs[job.id] === job { jobs[job.id] = nil } }
        job.note(.running, "started")
        return try await ReplicationScheduler.pass(job, endpoints)
    }

    /// Ends a job and forgets it.
    ///
    /// - Returns: Whether there was one.
    func cancel(_ id: String) async -> Bool {
        let task = tasks.removeValue(forKey: id)
        task?.cancel()
        let wasThere = jobs.removeValue(forKey: id) != nil
        await task?.value
        return wasThere
    }

    /// Ends all jobs.
    func stop() async {
        let ending = Array(tasks.values)
        for task in ending { task.cancel() }
        for task in ending { await task.value }
    }

    // MARK: The life of a job

    private func live(_ job: ReplicationJob) async {
        while !Task.isCancelled {
            await takeRoom(job)
            guard !Task.isCancelled else { return giveRoom() }
            job.note(.running, "started")
            let delay = await ReplicationScheduler.work(job, endpoints, limits)
            giveRoom()
            guard let delay, !Task.isCancelled else { return }
            try? await Task.sleep(for: delay)
        }
    }

    /// Waits until fewer than `replicationsMax` run.
    private func takeRoom(_ job: ReplicationJob) async {
        if runningCount >= limits.replicationsMax { job.note(.pending, "stopped") }
        while runningCount >= limits.replicationsMax, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(limits.replicationRoomMilliseconds))
        }
        runningCount += 1
    }

    private func giveRoom() { runningCount -= 1 }

    /// Replicates: once, or for ever.
    ///
    /// - Returns: When to try again after a failure; `nil` when the job is over.
    private static func work(
        _ job: ReplicationJob, _ endpoints: EndpointFinder, _ limits: ServerLimits
    ) async -> Duration? {
        do {
            repeat {
                _ = try await pass(job, endpoints)
                guard job.spec.isContinuous else {
                    job.note(.completed, "stopped")
                    return nil
                }
            } while try await endpoints.waitForChange(at: job.spec.source, owner: job.owner, limits: limits)
            return nil
        } catch {
            guard !Task.isCancelled else { return nil }
            job.note(.crashing, "crashed", reason: (error as? ReplicationError)?.message ?? HTTPFailure(error).reason)
            let factor = 1 << min(job.status.errorCount - 1, 20)
            return .seconds(min(limits.replicationRetrySeconds * factor, limits.replicationRetrySecondsMax))
        }
    }

    /// One pass over what the source has.
    private static func pass(_ job: ReplicationJob, _ endpoints: EndpointFinder) async throws -> ReplicationReport {
        let source = try await endpoints.endpoint(job.spec.source, owner: job.owner, use: .source)
        let target = try await endpoints.endpoint(
            job.spec.target, owner: job.owner, use: .target(creating: job.spec.createsTarget))
        let before = job.status.counts
        return try await Replicator(from: source, to: target, createsTarget: job.spec.createsTarget).run { progress in
            job.note(progress, after: before)
        }
    }
}
