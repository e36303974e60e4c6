//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation

/// The background tasks of a database, one of each kind at a time.
final class Housekeeping: Sendable {
    enum Kind: Hashable, Sendable { case blobs, indexes, expiry, conflicts }

    private struct FollowUp {
        var time: Date
        var work: @Sendable () async throws -> Void
    }

    private struct ScheduledTask {
        var task: Task<Void, Never>
        /// The time when the work begins. A task that waits is replaced by a task with an earlier time.
        var time: Date
        /// The work that was requested after the task began. If work was requested several times, this is the work with
        /// the earliest time.
        var followUp: FollowUp?
        var hasBegun: Bool
    }

    private struct State {
        var scheduled: [Kind: ScheduledTask] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Whether no task is active and no task waits for its time.
    var isQuiet: Bool { state.withLock { $0.scheduled.isEmpty } }

    /// Schedules work once, at a time. If work of the same kind is active, the new work runs after it, and not before
    /// `time`. If work of the same kind waits already, only the work with the earlier time is kept.
    ///
    /// Errors of the work are ignored, because the work is scheduled again on the next occasion. If the disk fails, the
    /// calls of the app report the failure.
    func start(_ kind: Kind, at time: Date = .distantPast, _ work: @escaping @Sendable () async throws -> Void) {
        state.withLock { state in
            guard !state.isStopped else { return }
            if var scheduled = state.scheduled[kind] {
                if scheduled.hasBegun {
                    if scheduled.followUp.map({ time < $0.time }) ?? true {
                        scheduled.followUp = FollowUp(time: time, work: work)
                        state.scheduled[kind] = scheduled
                    }
                    return
                }
                guard time < scheduled.time else { return }
                scheduled.task.cancel()
            }
            // The task is detached, because it does not belong to the request that caused it.
            let task = Task.detached { await self.run(kind, at: time, work) }
            state.scheduled[kind] = ScheduledTask(task: task, time: time, followUp: nil, hasBegun: false)
        }
    }

    /// The maximum delay in seconds: ten years. `Duration` cannot represent every delay.
    private static let delaySecondsMax = 3.2e8

    private func run(_ kind: Kind, at time: Date, _ work: @escaping @Sendable () async throws -> Void) async {
        let delay = time.timeIntervalSinceNow
        if delay > 0 {
            do { try await Task.sleep(for: .seconds(min(delay, Housekeeping.delaySecondsMax))) } catch { return }
        }
        guard begin(kind, at: time) else { return }
        var next: (@Sendable () async throws -> Void)? = work
        while let work = next {
            try? await work()
            next = finish(kind)
        }
    }

    private func begin(_ kind: Kind, at time: Date) -> Bool {
        state.withLock { state in
            guard !state.isStopped, !Task.isCancelled, state.scheduled[kind]?.time == time else { return false }
            state.scheduled[kind]?.hasBegun = true
            return true
        }
    }

    /// Ends a task's work, and schedules the work that was requested while the task was active.
    ///
    /// - Returns: The work to run immediately; `nil` for none.
    private func finish(_ kind: Kind) -> (@Sendable () async throws -> Void)? {
        let (followUp, isDue) = state.withLock { state -> (FollowUp?, Bool) in
            invariant(state.scheduled[kind]?.hasBegun == true, "work that ends has begun")
            guard !state.isStopped, let followUp = state.scheduled[kind]?.followUp else {
                state.scheduled[kind] = nil
                return (nil, false)
            }
            let isDue = followUp.time.timeIntervalSinceNow <= 0
            if isDue { state.scheduled[kind]?.followUp = nil } else { state.scheduled[kind] = nil }
            return (followUp, isDue)
        }
        guard let followUp, !isDue else { return followUp?.work }
        start(kind, at: followUp.time, followUp.work)
        return nil
    }

    /// Cancels the tasks, waits for them, and rejects new tasks.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return state.scheduled.values.map(\.task)
        }
        for task in tasks {
            task.cancel()
            await task.value
        }
    }
}
