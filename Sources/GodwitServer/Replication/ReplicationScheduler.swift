//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitThreads
import HTTPTypes

/// Runs replications: at most `replicationsMax` at a time, each again after a failure, later and later.
///
/// The room is shared by owners (``ReplicationSlots``). A continuous one that has had its turn makes room for those that
/// wait. Whatever runs is looked at once a turn, and whenever rights change (``recheck()``): its owner may have lost the
/// rights that it runs with.
actor ReplicationScheduler: BackgroundWork {
    /// A replication that runs, of a job or of a request.
    private struct Active {
        let job: ReplicationJob
        let run: ReplicationRun
    }

    private let endpoints: EndpointFinder
    private let limits: ServerLimits
    private let settings: ServerSettings
    private let audit: AuditLog
    private var jobs: [String: ReplicationJob] = [:]
    private var tasks: [String: Task<Void, Never>] = [:]
    /// Jobs that are not over, by owner.
    private var countByOwner: [String: Int] = [:]
    private var active: [ObjectIdentifier: Active] = [:]
    /// The owners of replications that requests wait for.
    private var once: [ObjectIdentifier: Principal] = [:]
    private var slots = ReplicationSlots()
    /// Jobs that wait for room.
    private var waiting: [ObjectIdentifier: CheckedContinuation<Bool, Never>] = [:]
    private var rotation: Task<Void, Never>?
    private var isRechecking = false
    private var isRecheckWanted = false

    init(endpoints: EndpointFinder, limits: ServerLimits, settings: ServerSettings, audit: AuditLog) {
        self.audit = audit
        self.endpoints = endpoints
        self.limits = limits
        self.settings = settings
    }

    /// What the work of a job may take: any number of documents, and what a request may take of each.
    private static var budget: WorkBudget {
        var limits = WorkBudget.Limits()
        limits.stepsMax = .max
        return WorkBudget(limits)
    }

    /// Starts work of a job with its budget, on the lane of its owner.
    private static func working<Result>(
        for job: ReplicationJob, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let lane = WorkLanes.shared.lane(of: "name \(job.ownerName)", takesAll: job.owner.isAdministrator)
        return try await WorkBudget.$current.withValue(budget) {
            try await WorkLane.$current.withValue(lane, operation: body)
        }
    }

    /// All jobs, in the order of their ids.
    var all: [ReplicationJob] { jobs.values.sorted { $0.id < $1.id } }

    var runningTasks: [JSONValue] { all.filter { $0.status.state == .running }.map(\.taskValue) }

    func job(_ id: String) -> ReplicationJob? { jobs[id] }

    /// Lists a job that ended before the server started.
    func list(_ job: ReplicationJob) { if jobs[job.id] == nil { jobs[job.id] = job } }

    /// Takes a job that runs as soon as there is room; one that is known already goes on.
    ///
    /// - Parameter onEnd: Told when the job is completed.
    /// - Returns: The job that does the same already; `nil` when this one was taken.
    /// - Throws: ``HTTPFailure`` with status 429 when its owner has as many as an owner may have.
    @discardableResult
    func add(
        _ job: ReplicationJob, onEnd: @escaping @Sendable (ReplicationJob) async -> Void
    ) throws(HTTPFailure) -> ReplicationJob? {
        if let other = jobs[job.id], !other.status.state.isTerminal { return other }
        let countMax = settings.options.replicationsPerOwnerMax
        guard job.owner.isAdministrator || countByOwner[job.ownerName] ?? 0 < countMax else {
            throw .tooManyReplications(
                "You have \(countMax) replications. End one, or ask an administrator to raise the setting "
                    + "replicator/max_jobs_per_owner.")
        }
        countByOwner[job.ownerName, default: 0] += 1
        jobs[job.id] = job
        audit.replicationStarted(job)
        tasks[job.id] = Task { [weak self] in
            await ReplicationScheduler.working(for: job) { await self?.live(job) }
            await self?.noteEnd(of: job)
            guard !Task.isCancelled else { return }
            await onEnd(job)
        }
        beginRotation()
        return nil
    }

    private func noteEnd(of job: ReplicationJob) {
        let count = (countByOwner[job.ownerName] ?? 1) - 1
        countByOwner[job.ownerName] = count == 0 ? nil : count
        audit.replicationEnded(job)
    }

    /// Runs a job at once and lists it meanwhile. Cancelling the task ends the run at once.
    ///
    /// - Throws: ``HTTPFailure`` or `ReplicationError` when it fails or is cancelled.
    func run(_ job: ReplicationJob) async throws -> ReplicationReport {
        try checkRequests(of: job.owner)
        let key = ObjectIdentifier(job)
        once[key] = job.owner
        defer { once[key] = nil }
        // One that runs already under this id stays the one that is listed.
        if jobs[job.id] == nil { jobs[job.id] = job }
        defer { if jobs[job.id] === job { jobs[job.id] = nil } }
        job.note(.running, "started")
        audit.replicationStarted(job)
        defer { audit.replicationEnded(job) }
        let replicator = try await endpoints.replicator(of: job)
        try Task.checkCancellation()
        let run = await ReplicationScheduler.working(for: job) { replicator.start() }
        active[key] = Active(job: job, run: run)
        defer { active[key] = nil }
        let report = try await ReplicationScheduler.follow(run, of: job)
        guard !report.wasStopped else {
            throw HTTPFailure(.internalServerError, "cancelled", "The replication was cancelled.")
        }
        return report
    }

    /// Lets one more request replicate. Administrators have room of their own, which others cannot take.
    private func checkRequests(of owner: Principal) throws(HTTPFailure) {
        let others = once.values.filter { $0.isAdministrator == owner.isAdministrator }
        let ownMax = ServerLimits.replicationsAwaitedPerOwnerMax
        guard owner.isAdministrator || others.count(where: { $0.name == owner.name }) < ownMax else {
            throw .tooManyReplications(
                "You wait for \(ownMax) replications already. Wait for one of them, or replicate with "
                    + "\"continuous\": true.")
        }
        guard others.count < ServerLimits.replicationsAwaitedMax else {
            throw HTTPFailure(
                .serviceUnavailable, "service_unavailable", "Too many requests replicate now. Ask again later.")
        }
    }

    /// Ends a job and forgets it.
    ///
    /// - Returns: Whether there was one.
    func cancel(_ id: String) async -> Bool {
        let task = tasks.removeValue(forKey: id)
        let job = jobs.removeValue(forKey: id)
        if let task { task.cancel() } else { for one in active.values where one.job.id == id { one.run.stop() } }
        if let job, slots.withdraw(ObjectIdentifier(job), owner: job.ownerName) {
            waiting.removeValue(forKey: ObjectIdentifier(job))?.resume(returning: false)
        }
        await task?.value
        return job != nil
    }

    func revoke(where isMeant: @Sendable (Principal) -> Bool) async {
        for job in all where isMeant(job.owner) { _ = await cancel(job.id) }
    }

    /// Ends all jobs.
    func stop() async {
        rotation?.cancel()
        let ending = Array(tasks.values)
        for task in ending { task.cancel() }
        for next in waiting.values { next.resume(returning: false) }
        waiting = [:]
        slots = ReplicationSlots()
        for task in ending { await task.value }
    }

    // MARK: The life of a job

    /// How a job's time with room ended.
    private enum SlotOutcome {
        case over
        /// Others wait.
        case wasPreempted
        case failed(retry: Duration)
    }

    private func live(_ job: ReplicationJob) async {
        while !Task.isCancelled {
            guard await takeSlot(job) else { return }
            let turn = Task.isCancelled ? .over : await turn(of: job)
            slots.leave(ObjectIdentifier(job))
            fillSlots()
            switch turn {
            case .over: return
            case .wasPreempted: continue
            case .failed(let retry): try? await Task.sleep(for: retry)
            }
        }
    }

    /// Waits until there is room.
    ///
    /// - Returns: Whether there is; `false` when the job was cancelled meanwhile.
    private func takeSlot(_ job: ReplicationJob) async -> Bool {
        guard !Task.isCancelled else { return false }
        return await withCheckedContinuation { next in
            let member = ObjectIdentifier(job)
            waiting[member] = next
            slots.join(member, owner: job.ownerName)
            fillSlots()
            guard waiting[member] != nil else { return }
            job.note(.pending, "stopped")
            stop(slots.membersToPreempt(slotsMax: settings.options.replicationsMax))
        }
    }

    private func fillSlots() {
        for member in slots.fill(slotsMax: settings.options.replicationsMax, now: .now) {
            waiting.removeValue(forKey: member)?.resume(returning: true)
        }
    }

    /// Lets runs write their checkpoints and end.
    private func stop(_ members: [ReplicationSlots.Member]) {
        for member in members { if let run = active[member]?.run { ReplicationScheduler.stop(run) } }
    }

    /// Replicates until the job is over, fails or makes room.
    private func turn(of job: ReplicationJob) async -> SlotOutcome {
        do {
            let replicator = try await endpoints.replicator(of: job)
            job.note(.running, "started")
            let run = replicator.start()
            let member = ObjectIdentifier(job)
            active[member] = Active(job: job, run: run)
            defer { active[member] = nil }
            // It may have been told to before it began.
            if slots.isLeaving(member) { ReplicationScheduler.stop(run) }
            // Of its own, since cancelling who waits for a report cancels the run before its checkpoint is written.
            let following = Task { try await ReplicationScheduler.follow(run, of: job) }
            let report = try await withTaskCancellationHandler {
                try await following.value
            } onCancel: {
                ReplicationScheduler.stop(run)
            }
            guard !Task.isCancelled else { return .over }
            guard !report.wasStopped else { return .wasPreempted }
            job.note(.completed, "stopped")
            return .over
        } catch {
            guard !Task.isCancelled else { return .over }
            if (error as? ReplicationError)?.code == .cancelled { return .wasPreempted }
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
            run.cancel()
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

    private func beginRotation() {
        guard rotation == nil else { return }
        rotation = Task { [weak self, limits] in
            while (try? await Task.sleep(for: .seconds(limits.replicationTurnSeconds))) != nil {
                await self?.nextTurn()
            }
        }
    }

    /// Lets those that ran longest make room for those that wait, and ends what may not run any more.
    private func nextTurn() async {
        // The setting may have grown.
        fillSlots()
        stop(
            slots.membersToRotate(
                since: .now - .seconds(limits.replicationTurnSeconds),
                countMax: ServerLimits.replicationsPerTurnMax, slotsMax: settings.options.replicationsMax))
        await recheck()
    }

    /// Ends at once what may not run any more, since its owner lost the rights or is gone.
    ///
    /// A call during another one lets that one look at everything once more, and returns.
    func recheck() async {
        isRecheckWanted = true
        guard !isRechecking else { return }
        isRechecking = true
        while isRecheckWanted {
            isRecheckWanted = false
            for one in active.values where (try? await endpoints.replicator(of: one.job)) == nil {
                // Without a checkpoint, which is a write. A job begins its next turn with the reason why it cannot.
                one.run.cancel()
            }
        }
        isRechecking = false
    }
}

extension ReplicationJob {
    /// Who shares the room with others.
    fileprivate var ownerName: String { owner.name ?? "" }
}

extension HTTPFailure {
    fileprivate static func tooManyReplications(_ reason: String) -> HTTPFailure {
        HTTPFailure(.tooManyRequests, "too_many_requests", reason)
    }
}
