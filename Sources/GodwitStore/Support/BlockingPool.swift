//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import GodwitThreads

/// The threads on which blocking work runs: commits, checkpoints, opening files, long scans.
///
/// Neither an event loop nor Swift's cooperative threads may wait for a disk. One pool serves every database of the
/// process, so that a thousand databases do not become a thousand threads: at most `threadsMax` jobs run at once,
/// the others wait in order.
///
/// The threads are the pool's own, made when they are needed and kept. A concurrent dispatch queue was tried: on Linux
/// it shares its threads with Swift's tasks, and when all of them wait, libdispatch adds one a second. Sixteen jobs that
/// blocked stopped every task of the process for twelve seconds.
package final class BlockingPool: Sendable {
    /// The pool of the process.
    package static let shared = BlockingPool(threadsMax: StoreLimits.blockingThreadsMax)

    private struct State {
        var waiting = JobQueue<@Sendable () -> Void>()
        var threads = 0
        var idle = 0
    }

    private enum Action {
        case none, wakeThread, startThread
    }

    private let threadsMax: Int
    private let wake = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    private let stackBytes: Int

    /// - Parameters:
    ///   - threadsMax: How many threads it starts at most.
    ///   - stackBytes: The stack of each.
    package init(threadsMax: Int, stackBytes: Int = BlockingThread.stackBytes) {
        self.threadsMax = threadsMax
        self.stackBytes = stackBytes
    }

    /// Runs `job` on a thread of the pool, after those that came before it.
    package func submit(_ job: @escaping @Sendable () -> Void) {
        let action = state.withLock { state -> Action in
            state.waiting.append(job)
            if state.idle > 0 {
                state.idle -= 1
                return .wakeThread
            }
            guard state.threads < threadsMax else { return .none }
            state.threads += 1
            return .startThread
        }
        switch action {
        case .none: break
        case .wakeThread: wake.signal()
        case .startThread:
            // When the system has no thread left, one of libdispatch's: late is better than never.
            if !BlockingThread.start(stackBytes: stackBytes, { self.work() }) {
                DispatchQueue.global().async { self.work() }
            }
        }
    }

    /// Runs `body` on a thread of the pool and gives its result.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        // The outcome goes through a lock: ThreadSanitizer does not see it handed over by a continuation that is resumed
        // before it is waited for, and called that a race once in some hundred runs of the tests.
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
            if let job = nextJob() { job() } else { wake.wait() }
        }
    }

    /// The next job; without one, the thread counts as idle.
    private func nextJob() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let job = state.waiting.popFirst()
            if job == nil { state.idle += 1 }
            return job
        }
    }
}
