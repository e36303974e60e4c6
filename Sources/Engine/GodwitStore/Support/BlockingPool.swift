//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import GodwitBase

/// The threads for blocking work: commits, checkpoints, opening files, long scans.
///
/// Event loops and Swift's cooperative threads must not wait for a disk. One pool serves every database of the process,
/// so that a thousand databases do not need a thousand threads. At most `threadsMax` jobs run at once, and the other
/// jobs wait in order.
///
/// The pool starts its own threads on demand and keeps them. A concurrent dispatch queue is not suitable, because on
/// Linux, it shares its threads with Swift's tasks. When all these threads wait, libdispatch adds only one thread per
/// second. With such a queue, sixteen blocking jobs stopped every task of the process for twelve seconds.
package final class BlockingPool: Sendable {
    /// The pool of the process.
    package static let shared = BlockingPool(threadsMax: StoreLimits.blockingThreadsMax)

    private struct State {
        var waitingJobs = JobQueue<@Sendable () -> Void>()
        var threadCount = 0
        var idleCount = 0
    }

    private enum Action {
        case none, wakeThread, startThread
    }

    private let threadsMax: Int
    private let wakeSignal = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    private let stackBytes: Int

    /// Creates a pool without threads.
    ///
    /// - Parameters:
    ///   - threadsMax: The largest number of threads.
    ///   - stackBytes: The stack size of each thread, in bytes.
    package init(threadsMax: Int, stackBytes: Int = BlockingThread.stackBytes) {
        self.threadsMax = threadsMax
        self.stackBytes = stackBytes
    }

    /// Runs `job` on a thread of the pool, after the jobs that were submitted before.
    package func submit(_ job: @escaping @Sendable () -> Void) {
        let action = state.withLock { state -> Action in
            state.waitingJobs.append(job)
            if state.idleCount > 0 {
                state.idleCount -= 1
                return .wakeThread
            }
            guard state.threadCount < threadsMax else { return .none }
            state.threadCount += 1
            return .startThread
        }
        switch action {
        case .none: break
        case .wakeThread: wakeSignal.signal()
        case .startThread:
            // If the system cannot start a thread, a thread of libdispatch is used. With this thread, the job may run
            // late, but it runs.
            if !BlockingThread.start(stackBytes: stackBytes, { self.work() }) {
                DispatchQueue.global().async { self.work() }
            }
        }
    }

    /// Runs `body` on a thread of the pool with the caller's work budget, and returns its result.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        // The result is passed through a lock and not through the continuation. If a continuation is resumed before it
        // is awaited, ThreadSanitizer does not recognize that it transfers the result, and sometimes reports a race.
        let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
        let budget = WorkBudget.current
        await withCheckedContinuation { continuation in
            submit {
                let result = Swift.Result { try WorkBudget.$current.withValue(budget, operation: body) }
                outcome.withLock { $0 = result }
                continuation.resume()
            }
        }
        return try outcome.withLock { $0.take()! }.get()
    }

    private func work() {
        while true {
            if let job = nextJob() { job() } else { wakeSignal.wait() }
        }
    }

    /// Returns the next job. If no job waits, returns `nil` and counts the thread as idle.
    private func nextJob() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let job = state.waitingJobs.popFirst()
            if job == nil { state.idleCount += 1 }
            invariant(state.idleCount <= state.threadCount, "a thread that waits was started")
            return job
        }
    }
}
