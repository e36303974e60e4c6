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

/// The work that a database does by itself, one task of each kind at a time.
final class Housekeeping: Sendable {
    enum Kind: Hashable, Sendable { case blobs, indexes, expiry, conflicts }

    private struct Again {
        var time: Date
        var work: @Sendable () async throws -> Void
    }

    private struct Running {
        var task: Task<Void, Never>
        /// When it begins to work; a task that waits gives way to one that is to begin earlier.
        var time: Date
        /// What was asked for since it began; the earlier of several.
        var again: Again?
        var hasBegun: Bool
    }

    private struct State {
        var running: [Kind: Running] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Whether nothing is under way or waits for its time.
    var isQuiet: Bool { state.withLock { $0.running.isEmpty } }

    /// Does some work once, at a time; when the same kind is under way, once more after it and not before its time.
    ///
    /// What it throws is dropped: all this work is tried again at the next occasion, and the database's own calls tell
    /// of a disk that fails.
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
            // Detached: it is not of the request that gave the occasion.
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

    /// Ends a task's work, and lets what was asked for meanwhile wait for its time.
    ///
    /// - Returns: What is to follow at once.
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

    /// Ends what is under way and begins nothing more.
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
