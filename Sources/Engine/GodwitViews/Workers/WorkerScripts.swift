//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker
import GodwitBase
import GodwitStore

// When a call finds no idle process, a new process is started, up to a limit. A process that has been idle for some
// time is ended. If possible, a call runs in the process that ran the same program last. A process that has ended is
// replaced when another process is needed. The number of processes for one database is limited, so that its slow
// functions do not use all processes. A running function may send a request that the server can answer only with
// another call. This second call does not wait for a process. Therefore one call may use two processes.

/// Runs functions of design documents in separate processes.
final class WorkerScripts: ScriptRunner {
    /// A closure that runs a call in the given process. If the process is `nil`, the closure starts a new process.
    private typealias Job = @Sendable (ScriptWorkerProcess?) -> Void

    private let program: ScriptWorkerProgram
    private let log: @Sendable (ScriptLogLine) -> Void
    /// The threads on which calls wait for their processes. There are two for each possible process, because a call may
    /// need a second call that answers its request.
    private let threads: BlockingPool
    private let scheduler: Mutex<WorkerScheduler<ScriptWorkerProcess, Job>>
    /// The task that ends idle processes; `nil` when it is not running.
    private let dismissalTask = Mutex<Task<Void, Never>?>(nil)

    init(program: ScriptWorkerProgram, limits: ScriptLimits, log: @escaping @Sendable (ScriptLogLine) -> Void) {
        self.program = program
        self.log = log
        threads = BlockingPool(threadsMax: ScriptLimits.workersCeiling * 2)
        scheduler = Mutex(WorkerScheduler(limits: limits))
    }

    var limits: ScriptLimits { scheduler.withLock { $0.limits } }

    func setLimits(_ limits: ScriptLimits) {
        let (idle, started) = scheduler.withLock { $0.change(limits) }
        for worker in idle { threads.submit { _ = worker.end() } }
        for job in started { job(nil) }
        // The running task is replaced, because it sleeps for the idle time of the previous limits.
        dismissalTask.withLock { dismissalTask in
            dismissalTask?.cancel()
            dismissalTask = nil
        }
        dismissLater()
    }

    func run(_ call: ScriptCall, ask: ScriptQuestions?) async throws(ScriptError) -> [UInt8] {
        let firstAttempt = await attempt(call, ask: ask)
        // If functions of another database had run in the process before, they may be the reason why it ended. In this
        // case, the call is repeated once. Calls that can send requests are not repeated, because their earlier
        // requests may have had effects.
        if case .failure(let failure) = firstAttempt.result, firstAttempt.isShared, ask == nil, !Task.isCancelled,
            failure.code == .memory || failure.code == .crashed
        {
            return try await attempt(call, ask: ask).result.get()
        }
        return try firstAttempt.result.get()
    }

    private struct Attempt: Sendable {
        let result: Result<[UInt8], ScriptError>
        /// Whether functions of another database had run in the process before.
        let isShared: Bool
    }

    private func attempt(_ call: ScriptCall, ask: ScriptQuestions?) async -> Attempt {
        let outcome = Mutex(Attempt(result: .failure(.busy), isShared: false))
        let cancellation = ScriptCancellation()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job: Job = { worker in
                    self.threads.submit {
                        let (attempt, worker) = self.attempt(call, ask: ask, in: worker, cancellation)
                        outcome.withLock { $0 = attempt }
                        self.release(worker, after: call.program)
                        continuation.resume()
                    }
                }
                let isAnswering = ScriptEngine.isAnswering
                switch scheduler.withLock({ $0.enter(call.program, job, waits: !isAnswering) }) {
                case .go(let worker): job(worker)
                case .wait: break
                case .refuse: continuation.resume()
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        return outcome.withLock { $0 }
    }

    private func attempt(
        _ call: ScriptCall, ask: ScriptQuestions?, in idleWorker: ScriptWorkerProcess?,
        _ cancellation: ScriptCancellation
    ) -> (Attempt, ScriptWorkerProcess?) {
        guard !cancellation.isCancelled else { return (Attempt(result: .failure(.busy), isShared: false), idleWorker) }
        do throws(ScriptError) {
            let worker = if let idleWorker { idleWorker } else { try ScriptWorkerProcess(program, limits: limits) }
            cancellation.begin(in: worker)
            defer { cancellation.end() }
            let isShared = worker.hasServedOthers(than: call.program.owner)
            return (Attempt(result: worker.result(of: call, ask: ask, log: log), isShared: isShared), worker)
        } catch {
            return (Attempt(result: .failure(error), isShared: false), nil)
        }
    }

    private func release(_ worker: ScriptWorkerProcess?, after program: ScriptProgram) {
        let nextCall = scheduler.withLock { scheduler in
            let isUsable = worker.map { $0.isAlive && $0.limits == scheduler.limits } ?? false
            return scheduler.leave(program, isUsable ? worker : nil, at: godwit_worker_now())
        }
        nextCall?.0(nextCall?.1)
        dismissLater()
    }

    // MARK: Idle processes

    private func dismissLater() {
        dismissalTask.withLock { dismissalTask in
            guard dismissalTask == nil else { return }
            dismissalTask = Task { [weak self] in
                while let seconds = self?.limits.workerIdleSecondsMax {
                    try? await Task.sleep(for: .seconds(seconds))
                    guard !Task.isCancelled, self?.dismiss() == true else { return }
                }
            }
        }
    }

    /// Ends the processes that have been idle for too long.
    ///
    /// - Returns: Whether any idle or busy processes remain.
    private func dismiss() -> Bool {
        let moment = godwit_worker_now() - limits.workerIdleSecondsMax
        let (idleWorkers, hasMore) = scheduler.withLock { scheduler in
            (scheduler.dismiss(idleSince: moment), scheduler.hasIdle || scheduler.busyCount > 0)
        }
        for worker in idleWorkers { threads.submit { _ = worker.end() } }
        if !hasMore { dismissalTask.withLock { $0 = nil } }
        return hasMore
    }
}
