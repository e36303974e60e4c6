//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// Runs asynchronous operations for the synchronous calls of the old libraries.
///
/// The operation's steps run on a separate thread. The steps must not run on the threads of Swift's tasks, because
/// calls of ``run(_:)`` may block all of these threads. In this case, no step could run.
enum Blocking {
    /// Runs an operation, and blocks the calling thread until the operation has ended. Rethrows its errors.
    static func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
        let steps = Steps()
        let outcome = Outcome<Result>()
        Task(executorPreference: steps) {
            do {
                outcome.value = .success(try await body())
            } catch {
                outcome.value = .failure(error)
            }
            steps.end()
        }
        let thread = Thread { steps.runAll() }
        thread.stackSize = Steps.stackBytes
        thread.start()
        steps.wait()
        return try outcome.value!.get()
    }

    private final class Outcome<Result: Sendable>: @unchecked Sendable {
        // Proof of `Sendable`: the value is written before `Steps.end` and read after `Steps.wait`.
        var value: Swift.Result<Result, any Error>?
    }
}

/// The steps of one operation. One thread runs all of them.
private final class Steps: TaskExecutor, @unchecked Sendable {
    // Proof of `Sendable`: the condition guards all members.
    static let stackBytes = 8 << 20

    private let condition = NSCondition()
    private var waiting: [UnownedJob] = []
    private var hasEnded = false
    private var isDone = false

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        waiting.append(job)
        condition.broadcast()
        condition.unlock()
    }

    func end() {
        condition.lock()
        hasEnded = true
        condition.unlock()
    }

    /// Runs steps until the operation has ended and its last step has returned.
    func runAll() {
        condition.lock()
        while !hasEnded || !waiting.isEmpty {
            guard !waiting.isEmpty else {
                condition.wait()
                continue
            }
            let job = waiting.removeFirst()
            condition.unlock()
            job.runSynchronously(on: asUnownedTaskExecutor())
            condition.lock()
        }
        isDone = true
        condition.broadcast()
        condition.unlock()
    }

    func wait() {
        condition.lock()
        while !isDone { condition.wait() }
        condition.unlock()
    }
}
