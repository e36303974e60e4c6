//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Synchronization

/// The threads on which blocking work runs: commits, checkpoints, opening files, long scans.
///
/// Neither an event loop nor Swift's cooperative threads may wait for a disk. One pool serves every database of the
/// process, so that a thousand databases do not become a thousand threads: at most `threadsMax` jobs run at once,
/// the others wait in order.
package final class BlockingPool: Sendable {
    /// The pool of the process.
    package static let shared = BlockingPool(threadsMax: StoreLimits.blockingThreadsMax)

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var next = 0
        var running = 0

        mutating func pop() -> (@Sendable () -> Void)? {
            guard next < waiting.count else {
                waiting.removeAll(keepingCapacity: true)
                next = 0
                return nil
            }
            // Under a load that never lets the queue run empty, what was taken must not stay in it.
            if next >= 1_024, next * 2 >= waiting.count {
                waiting.removeFirst(next)
                next = 0
            }
            defer { next += 1 }
            return waiting[next]
        }
    }

    private let threadsMax: Int
    private let queue = DispatchQueue(label: "godwit.blocking", attributes: .concurrent)
    private let state = Mutex(State())

    package init(threadsMax: Int) { self.threadsMax = threadsMax }

    /// Runs `job` on a thread of the pool, after those that came before it.
    package func submit(_ job: @escaping @Sendable () -> Void) {
        let startsThread = state.withLock { state in
            state.waiting.append(job)
            guard state.running < threadsMax else { return false }
            state.running += 1
            return true
        }
        if startsThread { queue.async { self.drain() } }
    }

    /// Runs `body` on a thread of the pool and gives its result.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }

    private func drain() {
        while let job = nextJob() { job() }
    }

    private func nextJob() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let job = state.pop()
            if job == nil { state.running -= 1 }
            return job
        }
    }
}
