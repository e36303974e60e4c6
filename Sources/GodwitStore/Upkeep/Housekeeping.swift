//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The background tasks of a database, one of each kind at a time.
final class Housekeeping: Sendable {
    enum Kind: Hashable, Sendable { case blobs, indexes, expiry, conflicts }

    private struct Again {
        var time: Date
        var work: @Sendable () async throws -> Void
    }

    private struct Running {
        var task: Task<Void, Never>
        /// The time when the work begins. A task that waits is replaced by one with an earlier time.
        var time: Date
        /// The work that was requested after the task began; the earliest of several.
        var again: Again?
        var hasBegun: Bool
    }

    private struct State {
        var running: [Kind: Running] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Whether no task is active or waits for its time.
    var isQuiet: Bool { state.withLock { $0.running.isEmpty } }

    /// Schedules work once, at a time. If work of the same kind is active, it runs after that and not before its time.
    ///
    /// Errors of the work are ignored: it is tried again on the next occasion, and the database's own calls report a
    /// failing disk.
    func start(_ kind: Kind, at time: Date = .distantPast, _ work: @escaping @Sendable () async throws -> Void) {
        state.withLock { state in
            guard !state.isStopped else { return }
            if var running = state.running[kind] {
                if running.hasBegun {
                    if running.again.map({ time < $0.time }) ?? true {
                        running.again = Again(time: time, work: work)
                        state.running[kind] = running
                    }
                    return
                }
                guard time < running.time else { return }
                running.task.cancel()
            }
            // Detached, because the task does not belong to the request that caused it.
            let task = Task.detached { await self.run(kind, at: time, work) }
            state.running[kind] = Running(task: task, time: time, again: nil, hasBegun: false)
        }
    }

    private func run(_ kind: Kind, at time: Date, _ work: @escaping @Sendable () async throws -> Void) async {
        let delay = time.timeIntervalSinceNow
        if delay > 0 {
            do { try await Task.sleep(for: .seconds(delay)) } catch { return }
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
            guard !state.isStopped, !Task.isCancelled, state.running[kind]?.time == time else { return false }
            state.running[kind]?.hasBegun = true
            return true
        }
    }

    /// Ends a task's work, and schedules the work that was requested meanwhile.
    ///
    /// - Returns: The work to run immediately; `nil` for none.
    private func finish(_ kind: Kind) -> (@Sendable () async throws -> Void)? {
        let (again, isDue) = state.withLock { state -> (Again?, Bool) in
            guard !state.isStopped, let again = state.running[kind]?.again else {
                state.running[kind] = nil
                return (nil, false)
            }
            let isDue = again.time.timeIntervalSinceNow <= 0
            if isDue { state.running[kind]?.again = nil } else { state.running[kind] = nil }
            return (again, isDue)
        }
        guard let again, !isDue else { return again?.work }
        start(kind, at: again.time, again.work)
        return nil
    }

    /// Cancels the tasks, waits for them, and starts no more.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return state.running.values.map(\.task)
        }
        for task in tasks {
            task.cancel()
            await task.value
        }
    }
}
