//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker
import GodwitStore
import GodwitThreads

// Processes are started one by one as calls find none that is free, up to a limit, and ended when they had nothing to do for
// a while. A call prefers a process that ran its program last. What dies is replaced at the next need. No database has all
// processes: others would wait for its slow functions. A call that answers another one does not wait, so that there may be two
// processes for one.

/// Functions of design documents, run in processes of their own.
final class WorkerScripts: ScriptRunner {
    /// Runs a call in a process, or in a new one.
    private typealias Job = @Sendable (ScriptWorkerProcess?) -> Void

    private let program: ScriptWorkerProgram
    private let log: @Sendable (ScriptLogLine) -> Void
    /// The threads on which calls are waited for: one for each process, and one for what answers it.
    private let threads: BlockingPool
    private let scheduler: Mutex<WorkerScheduler<ScriptWorkerProcess, Job>>
    /// Ends processes that rest; `nil` when there are none.
    private let dismissing = Mutex<Task<Void, Never>?>(nil)

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
        // It sleeps as long as the limits before said.
        dismissing.withLock { dismissing in
            dismissing?.cancel()
            dismissing = nil
        }
        dismissLater()
    }

    func run(_ call: ScriptCall, ask: ScriptQuestions?) async throws(ScriptError) -> [UInt8] {
        let first = await attempt(call, ask: ask)
        // What another database's functions left behind may be what the process died of; questions are not asked twice.
        if case .failure(let failure) = first.result, first.isShared, ask == nil, !Task.isCancelled,
            failure.code == .memory || failure.code == .crashed
        {
            return try await attempt(call, ask: ask).result.get()
        }
        return try first.result.get()
    }

    private struct Attempt: Sendable {
        let result: Result<[UInt8], ScriptError>
        /// Whether functions of another database had run in the process.
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
        _ call: ScriptCall, ask: ScriptQuestions?, in known: ScriptWorkerProcess?, _ cancellation: ScriptCancellation
    ) -> (Attempt, ScriptWorkerProcess?) {
        guard !cancellation.isCancelled else { return (Attempt(result: .failure(.busy), isShared: false), known) }
        do throws(ScriptError) {
            let worker = if let known { known } else { try ScriptWorkerProcess(program, limits: limits) }
            cancellation.begin(in: worker)
            defer { cancellation.end() }
            let isShared = worker.hasServedOthers(than: call.program.owner)
            return (Attempt(result: worker.result(of: call, ask: ask, log: log), isShared: isShared), worker)
        } catch {
            return (Attempt(result: .failure(error), isShared: false), nil)
        }
    }

    private func release(_ worker: ScriptWorkerProcess?, after program: ScriptProgram) {
        let next = scheduler.withLock { scheduler in
            let isKept = worker.map { $0.isAlive && $0.limits == scheduler.limits } ?? false
            return scheduler.leave(program, isKept ? worker : nil, at: godwit_worker_now())
        }
        next?.0(next?.1)
        dismissLater()
    }

    // MARK: Idle processes

    private func dismissLater() {
        dismissing.withLock { dismissing in
            guard dismissing == nil else { return }
            dismissing = Task { [weak self] in
                while let seconds = self?.limits.workerIdleSecondsMax {
                    try? await Task.sleep(for: .seconds(seconds))
                    guard !Task.isCancelled, self?.dismiss() == true else { return }
                }
            }
        }
    }

    /// - Returns: Whether some processes are left to look after.
    private func dismiss() -> Bool {
        let moment = godwit_worker_now() - limits.workerIdleSecondsMax
        let (rested, hasMore) = scheduler.withLock { scheduler in
            (scheduler.dismiss(idleSince: moment), scheduler.hasIdle || scheduler.busyCount > 0)
        }
        for worker in rested { threads.submit { _ = worker.end() } }
        if !hasMore { dismissing.withLock { $0 = nil } }
        return hasMore
    }
}
