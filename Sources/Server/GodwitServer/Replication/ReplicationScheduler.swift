//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import HTTPTypes
import Logging

/// Runs replications. Each running replication uses one of `replicationsMax` slots, which the owners share
/// (``ReplicationSlots``). A failed replication is retried after increasing delays. When other replications wait, a
/// replication that has run for ``ServerLimits/replicationTurnSeconds`` releases its slot. Whenever rights change, the
/// rights of the owners of running replications are checked (``recheck()``). After the first call of ``add(_:onEnd:)``,
/// these rights are also checked once per ``ServerLimits/replicationTurnSeconds``.
actor ReplicationScheduler: BackgroundWork {
    /// A replication that is running, with its job.
    private struct Active {
        let job: ReplicationJob
        let run: ReplicationRun
    }

    private let endpoints: EndpointFinder
    private let limits: ServerLimits
    private let settings: ServerSettings
    private let audit: AuditLog
    private let journal: WorkJournal
    private let logger: Logger
    private var jobs: [String: ReplicationJob] = [:]
    /// The jobs of documents that ended although another job with the same id is in `jobs`, by document: a second
    /// document with the same source and target fails.
    private var duplicates: [ExactText: ReplicationJob] = [:]
    /// The tasks that add jobs in `duplicates` when the job with the same id, which a request started, has ended.
    private var delayed: [ExactText: Task<Void, Never>] = [:]
    private var tasks: [String: Task<Void, Never>] = [:]
    /// The number of jobs that have not ended, by owner.
    private var countByOwner: [ExactText: Int] = [:]
    private var active: [ObjectIdentifier: Active] = [:]
    /// The jobs that a request started with ``run(_:)``. The request waits until its job ends.
    private var awaited: [ObjectIdentifier: ReplicationJob] = [:]
    /// The jobs in `awaited` that must end, because they were cancelled.
    private var cancelled: Set<ObjectIdentifier> = []
    private var slots = ReplicationSlots()
    /// For each job that waits for a slot, the continuation that ends the wait. Its value is whether the job got a
    /// slot.
    private var waiting: [ObjectIdentifier: CheckedContinuation<Bool, Never>] = [:]
    private var rotation: Task<Void, Never>?
    private var isRechecking = false
    private var isRecheckWanted = false

    init(
        endpoints: EndpointFinder, limits: ServerLimits, settings: ServerSettings, audit: AuditLog,
        journal: WorkJournal,
        logger: Logger
    ) {
        (self.journal, self.logger) = (journal, logger)
        self.audit = audit
        self.endpoints = endpoints
        self.limits = limits
        self.settings = settings
    }

    /// The budget of a job. The budget does not limit the number of documents. For each document, it allows as much
    /// work as a request may do.
    private static var budget: WorkBudget {
        var limits = WorkBudget.Limits()
        limits.stepsMax = .max
        return WorkBudget(limits)
    }

    /// Runs the work of a job. The work is charged to a separate budget, and runs on the lane of the job's owner.
    private static func working<Result>(
        for job: ReplicationJob, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let lane = WorkLanes.shared.lane(of: "name \(job.ownerName)", takesAll: job.owner.isAdministrator)
        return try await WorkBudget.$current.withValue(budget) {
            try await WorkLane.$current.withValue(lane, operation: body)
        }
    }

    /// All jobs, in the order of their ids.
    var all: [ReplicationJob] { (Array(jobs.values) + duplicates.values).sorted { $0.id < $1.id } }

    var runningTasks: [JSONValue] { all.filter { $0.status.state == .running }.map(\.taskValue) }

    func job(_ id: String) -> ReplicationJob? { jobs[id] }

    /// Adds a job of a document that has ended to the list.
    func list(_ job: ReplicationJob) {
        if jobs[job.id] == nil {
            jobs[job.id] = job
        } else if let document = job.document {
            duplicates[ExactText(document)] = job
        }
    }

    /// Ends the jobs of a document, and removes them.
    func end(document: String) async {
        duplicates[ExactText(document)] = nil
        delayed.removeValue(forKey: ExactText(document))?.cancel()
        for job in jobs.values where job.belongs(to: document) { _ = await cancel(job.id) }
    }

    /// Adds a job, which runs as soon as a slot is free. If the list contains a job with the same id that has not
    /// ended, the listed job continues, and the new job is not added.
    ///
    /// - Parameter onEnd: A closure that is called when the job has ended. It is not called when the job is cancelled.
    /// - Returns: The listed job with the same id; `nil` when the new job was added.
    /// - Throws: ``HTTPFailure`` with status 429 when the owner is not an administrator and already has the maximum
    ///   number of jobs.
    @discardableResult
    func add(
        _ job: ReplicationJob, onEnd: @escaping @Sendable (ReplicationJob) async -> Void
    ) throws(HTTPFailure) -> ReplicationJob? {
        if let other = jobs[job.id], !other.status.state.isTerminal { return other }
        let countMax = settings.options.replicationsPerOwnerMax
        guard job.owner.isAdministrator || countByOwner[ExactText(job.ownerName)] ?? 0 < countMax else {
            throw .tooManyReplications(
                "You have \(countMax) replications. Cancel one, or ask an administrator to raise the setting "
                    + "replicator/max_jobs_per_owner.")
        }
        countByOwner[ExactText(job.ownerName), default: 0] += 1
        jobs[job.id] = job
        audit.replicationStarted(job)
        tasks[job.id] = Task { [weak self] in
            await ReplicationScheduler.working(for: job) { await self?.runUntilEnd(job) }
            await self?.noteEnd(of: job)
            guard !Task.isCancelled else { return }
            await onEnd(job)
        }
        beginRotation()
        return nil
    }

    /// Adds the job of a document as soon as the job with the same id, which a request started, has ended. Until then the
    /// list contains the job as one that fails and is tried again.
    func addLater(
        _ job: ReplicationJob, document: String, onEnd: @escaping @Sendable (ReplicationJob) async -> Void
    ) {
        job.note(.crashing, "crashed", reason: "Replication `\(job.id)` was started by a request and is still running")
        let key = ExactText(document)
        duplicates[key] = job
        delayed[key]?.cancel()
        delayed[key] = Task { [weak self, limits] in
            repeat {
                guard (try? await Task.sleep(for: .seconds(limits.replicationRetrySeconds))) != nil else { return }
            } while await self?.addIfFree(job, key, onEnd) == false
        }
    }

    /// Adds a job of ``addLater(_:document:onEnd:)``.
    ///
    /// - Returns: `false` while the job of a request runs.
    private func addIfFree(
        _ job: ReplicationJob, _ key: ExactText, _ onEnd: @escaping @Sendable (ReplicationJob) async -> Void
    ) async -> Bool {
        guard duplicates[key] === job, !Task.isCancelled else { return true }
        do {
            if let other = try add(job, onEnd: onEnd) {
                guard other.document != nil else { return false }
                throw HTTPFailure.alreadyStarted(job, by: other)
            }
            (duplicates[key], delayed[key]) = (nil, nil)
        } catch {
            (duplicates[key], delayed[key]) = (nil, nil)
            job.note(.failed, "crashed", reason: ReplicationJob.reason(of: error))
            await onEnd(job)
        }
        return true
    }

    private func noteEnd(of job: ReplicationJob) {
        let owner = ExactText(job.ownerName)
        let count = (countByOwner[owner] ?? 1) - 1
        countByOwner[owner] = count == 0 ? nil : count
        audit.replicationEnded(job)
    }

    /// Runs a job at once, without waiting for a slot. The job is in the list until it ends. However, if the list
    /// contains another job with the same id, the new job is not added to the list. When the calling task is cancelled,
    /// the run ends at once.
    ///
    /// - Throws: ``HTTPFailure`` or `ReplicationError` when the job fails or is cancelled; the errors of opening the
    ///   databases; ``HTTPFailure`` with status 429 when too many requests of the owner wait for replications, or with
    ///   status 503 when too many requests of all owners wait.
    func run(_ job: ReplicationJob) async throws -> ReplicationReport {
        try checkRequests(of: job.owner)
        let key = ObjectIdentifier(job)
        awaited[key] = job
        defer {
            awaited[key] = nil
            cancelled.remove(key)
        }
        // If a job with this id already runs, that job remains in the list.
        if jobs[job.id] == nil { jobs[job.id] = job }
        defer { if jobs[job.id] === job { jobs[job.id] = nil } }
        job.note(.running, "started")
        audit.replicationStarted(job)
        defer { audit.replicationEnded(job) }
        do {
            let report = try await awaitReport(of: job)
            job.note(.completed, "stopped")
            return report
        } catch {
            job.note(.failed, "crashed", reason: ReplicationJob.reason(of: error))
            throw error
        }
    }

    private func awaitReport(of job: ReplicationJob) async throws -> ReplicationReport {
        let key = ObjectIdentifier(job)
        let replicator = try await endpoints.replicator(of: job)
        try Task.checkCancellation()
        guard !cancelled.contains(key) else { throw HTTPFailure.replicationCancelled }
        let run = await ReplicationScheduler.working(for: job) { replicator.start() }
        active[key] = Active(job: job, run: run)
        defer { active[key] = nil }
        let report = try await job.follow(run, logger)
        guard !report.wasStopped else {
            throw HTTPFailure.replicationCancelled
        }
        return report
    }

    /// Checks that the number of requests that wait for a replication is below its limit. The requests of
    /// administrators are counted separately. Therefore other principals cannot use up the limit of the administrators.
    private func checkRequests(of owner: Principal) throws(HTTPFailure) {
        let requestOwners = awaited.values.map(\.owner).filter { $0.isAdministrator == owner.isAdministrator }
        let ownerMax = ServerLimits.replicationsAwaitedPerOwnerMax
        guard owner.isAdministrator || requestOwners.count(where: { $0.isNamed(owner.name) }) < ownerMax else {
            throw .tooManyReplications(
                "You already wait for \(ownerMax) replications. Wait until one of them ends, or replicate with "
                    + "\"continuous\": true.")
        }
        guard requestOwners.count < ServerLimits.replicationsAwaitedMax else {
            throw HTTPFailure(
                .serviceUnavailable, "service_unavailable", "Too many replications are running. Try again later.")
        }
    }

    /// Ends a job and removes it. A job of ``add(_:onEnd:)`` has ended when this call returns. A job of ``run(_:)`` is
    /// only asked to end: it writes its checkpoint first, and may end after this call returns.
    ///
    /// - Returns: Whether the job existed.
    func cancel(_ id: String) async -> Bool {
        let task = tasks.removeValue(forKey: id)
        let job = jobs.removeValue(forKey: id)
        if let task {
            task.cancel()
        } else {
            // If a job is just opening its databases, it ends as soon as they are open.
            for (key, job) in awaited where job.id.isIdenticalText(to: id) { cancelled.insert(key) }
            for entry in active.values where entry.job.id.isIdenticalText(to: id) { entry.run.stop() }
        }
        if let job, slots.withdraw(ObjectIdentifier(job), owner: job.ownerName) {
            waiting.removeValue(forKey: ObjectIdentifier(job))?.resume(returning: false)
        }
        await task?.value
        return job != nil
    }

    func revoke(where isMeant: @Sendable (Principal) -> Bool) async {
        for job in all where isMeant(job.owner) { _ = await cancel(job.id) }
    }

    /// Ends all jobs of ``add(_:onEnd:)``, and waits until they have ended. This method does not end the jobs of
    /// ``run(_:)``. Each of these jobs ends when its request is cancelled.
    func stop() async {
        rotation?.cancel()
        for task in delayed.values { task.cancel() }
        delayed = [:]
        let endingTasks = Array(tasks.values)
        for task in endingTasks { task.cancel() }
        for continuation in waiting.values { continuation.resume(returning: false) }
        waiting = [:]
        slots = ReplicationSlots()
        for task in endingTasks { await task.value }
    }

    // MARK: Running a job

    /// The reason why a job no longer uses its slot.
    private enum SlotOutcome {
        case over
        /// The run was ended because a waiting job needs the slot.
        case wasPreempted
        case failed(retry: Duration)
    }

    private func runUntilEnd(_ job: ReplicationJob) async {
        while !Task.isCancelled {
            await waitWhileHeld(job)
            guard await takeSlot(job) else { return }
            let outcome = Task.isCancelled ? .over : await recordedAttempt(of: job)
            slots.leave(ObjectIdentifier(job))
            fillSlots()
            switch outcome {
            case .over: return
            case .wasPreempted: continue
            case .failed(let retry): try? await Task.sleep(for: retry)
            }
        }
    }

    /// Waits while a job is held, and shows the reason as the reason of a crash.
    private func waitWhileHeld(_ job: ReplicationJob) async {
        guard let work = job.work, let reason = journal.reasonToHold(work) else { return }
        logger.error("background work is held", metadata: ["work": "\(work)", "reason": "\(reason)"])
        job.note(.crashing, "crashed", reason: reason)
        await journal.waitUntilFree(work)
    }

    /// Runs a job as ``attempt(of:)``, and records it meanwhile in the journal of background work.
    private func recordedAttempt(of job: ReplicationJob) async -> SlotOutcome {
        guard let work = job.work else { return await attempt(of: job) }
        do {
            return try await journal.run(work) { await attempt(of: job) }
        } catch {
            // The job was held since the last check.
            return .wasPreempted
        }
    }

    /// Waits for a free slot.
    ///
    /// - Returns: `true` when the job has got a slot; `false` when the job was cancelled.
    private func takeSlot(_ job: ReplicationJob) async -> Bool {
        guard !Task.isCancelled else { return false }
        return await withCheckedContinuation { continuation in
            let member = ObjectIdentifier(job)
            waiting[member] = continuation
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

    /// Asks runs to write their checkpoints and to end.
    private func stop(_ members: [ReplicationSlots.Member]) {
        for member in members { active[member]?.run.stopWithCheckpoint() }
    }

    /// Runs a job until it ends, fails or must release its slot.
    private func attempt(of job: ReplicationJob) async -> SlotOutcome {
        do {
            let replicator = try await endpoints.replicator(of: job)
            job.note(.running, "started")
            let run = replicator.start()
            let member = ObjectIdentifier(job)
            active[member] = Active(job: job, run: run)
            defer { active[member] = nil }
            // While the databases were being opened, the job may have been chosen to release its slot.
            if slots.isLeaving(member) { run.stopWithCheckpoint() }
            // A separate task awaits the report of the run. If this task awaited the report and were cancelled, the run
            // would be cancelled before its checkpoint is written.
            let followTask = Task { [logger] in try await job.follow(run, logger) }
            let report = try await withTaskCancellationHandler {
                try await followTask.value
            } onCancel: {
                run.stopWithCheckpoint()
            }
            guard !Task.isCancelled else { return .over }
            guard !report.wasStopped else { return .wasPreempted }
            job.note(.completed, "stopped")
            return .over
        } catch {
            guard !Task.isCancelled else { return .over }
            if (error as? ReplicationError)?.code == .cancelled { return .wasPreempted }
            job.noteFailure(ReplicationJob.reason(of: error), logger)
            let isRefused = (error as? ReplicationError)?.code == .unauthorized
            let first = isRefused ? limits.replicationRefusedRetrySeconds : limits.replicationRetrySeconds
            let factor = 1 << min(job.status.errorCount - 1, 20)
            return .failed(retry: .seconds(min(first * factor, limits.replicationRetrySecondsMax)))
        }
    }

    // MARK: Rotation

    private func beginRotation() {
        guard rotation == nil else { return }
        rotation = Task { [weak self, limits] in
            while (try? await Task.sleep(for: .seconds(limits.replicationTurnSeconds))) != nil {
                await self?.rotateSlots()
            }
        }
    }

    /// Takes slots from the jobs that have run for the longest time, and assigns the slots to waiting jobs. Also ends
    /// the runs whose owners have lost their rights.
    private func rotateSlots() async {
        // Slots may be free, because an administrator may have increased the maximum number of replications.
        fillSlots()
        stop(
            slots.membersToRotate(
                since: .now - .seconds(limits.replicationTurnSeconds),
                countMax: ServerLimits.replicationsPerTurnMax, slotsMax: settings.options.replicationsMax))
        await recheck()
    }

    /// Ends all runs whose databases can no longer be opened, for instance because their owners lost their rights or
    /// accounts.
    ///
    /// If an earlier call is still in progress, this call returns at once, and the earlier call checks all runs again.
    func recheck() async {
        isRecheckWanted = true
        guard !isRechecking else { return }
        isRechecking = true
        while isRecheckWanted {
            isRecheckWanted = false
            for entry in active.values {
                // This check must not create the target again if it was deleted. The next run of the job may create it.
                guard (try? await endpoints.replicator(of: entry.job, mayCreateTarget: false)) == nil else { continue }
                // The run writes no checkpoint, because the owner may have lost the right to write one. If the job has
                // a slot, its next run fails with the reason.
                entry.run.cancel()
            }
        }
        isRechecking = false
    }
}

extension ReplicationJob {
    /// The owner's name by which ``ReplicationSlots`` identifies the owner; empty for an anonymous owner.
    fileprivate var ownerName: String { owner.name ?? "" }
}

extension HTTPFailure {
    /// The failure of a document's job when another document has started the same replication.
    static func alreadyStarted(_ job: ReplicationJob, by other: ReplicationJob) -> HTTPFailure {
        .badRequest(
            "Replication `\(job.id)` of document `\(job.document ?? "")` already started, triggered by document "
                + "`\(other.document ?? "")`")
    }

    fileprivate static let replicationCancelled = HTTPFailure(
        .internalServerError, "cancelled", "The replication was cancelled.")

    fileprivate static func tooManyReplications(_ reason: String) -> HTTPFailure {
        HTTPFailure(.tooManyRequests, "too_many_requests", reason)
    }
}
