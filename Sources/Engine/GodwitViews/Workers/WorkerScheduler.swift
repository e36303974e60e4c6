//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Decides which call runs next in which process. It does not start or end processes.
struct WorkerScheduler<Worker, Waiter> {
    /// The decision for a call.
    enum Reply {
        /// Run the call in the given process. If the process is `nil`, run the call in a new process.
        case go(Worker?)
        /// Wait until ``leave(_:_:at:)`` or ``change(_:)`` returns the call.
        case wait
        /// Fail, because too many calls are waiting.
        case refuse
    }

    private struct Idle {
        let worker: Worker
        /// The key of the program that the process ran last.
        let program: String
        let since: Double
    }

    private struct Waiting {
        let program: ScriptProgram
        let waiter: Waiter
    }

    private(set) var limits: ScriptLimits
    private var idle: [Idle] = []
    private var busy: [ExactText: Int] = [:]
    private var waiting: [Waiting] = []

    init(limits: ScriptLimits) { self.limits = limits }

    /// The number of running calls.
    var busyCount: Int { busy.values.reduce(0, +) }
    /// Whether a process is idle.
    var hasIdle: Bool { !idle.isEmpty }

    /// Decides whether a new call runs, waits or fails.
    ///
    /// - Parameter waits: Whether the call may wait. A call that answers a question of a running function must not
    ///   wait. It runs even if the maximum number of processes is reached.
    mutating func enter(_ program: ScriptProgram, _ waiter: Waiter, waits: Bool = true) -> Reply {
        if !waits || mayRun(program.owner) { return .go(begin(program)) }
        guard waiting.count < limits.callsWaitingMax else { return .refuse }
        waiting.append(Waiting(program: program, waiter: waiter))
        return .wait
    }

    /// Ends a call. If the number of processes is at most the maximum, the process of the call becomes idle. If there
    /// are more processes, the scheduler no longer uses this process.
    ///
    /// - Returns: The next call and its process; `nil` when no waiting call may run.
    mutating func leave(_ program: ScriptProgram, _ worker: Worker?, at now: Double) -> (Waiter, Worker?)? {
        let owner = ExactText(program.owner)
        let count = busy[owner, default: 1] - 1
        busy[owner] = count == 0 ? nil : count
        if let worker, idle.count + busyCount < limits.workersMax {
            idle.append(Idle(worker: worker, program: program.key, since: now))
        }
        return next()
    }

    /// Changes the limits. Processes that were started with other limits are not used again.
    ///
    /// - Returns: The idle processes, which the caller must end, and the waiting calls that now run in new processes.
    mutating func change(_ limits: ScriptLimits) -> (idle: [Worker], started: [Waiter]) {
        let idleWorkers = dismiss(idleSince: .infinity)
        self.limits = limits
        var started: [Waiter] = []
        while let (waiter, _) = next() { started.append(waiter) }
        return (idleWorkers, started)
    }

    /// Removes the next waiting call that may run, and chooses its process.
    private mutating func next() -> (Waiter, Worker?)? {
        guard let index = waiting.firstIndex(where: { mayRun($0.program.owner) }) else { return nil }
        let call = waiting.remove(at: index)
        return (call.waiter, begin(call.program))
    }

    /// Removes and returns the processes that have been idle since a given time or longer.
    mutating func dismiss(idleSince moment: Double) -> [Worker] {
        let dismissed = idle.filter { $0.since <= moment }.map(\.worker)
        idle.removeAll { $0.since <= moment }
        return dismissed
    }

    private func mayRun(_ owner: String) -> Bool {
        busyCount < limits.workersMax && busy[ExactText(owner), default: 0] < limits.workersPerDatabaseMax
    }

    /// Counts a call as running and chooses its process. The first choice is an idle process that ran the same program
    /// last. The second choice is a new process (`nil`), but only if few processes are idle and the maximum is not
    /// reached. The third choice is the idle process that was used most recently.
    private mutating func begin(_ program: ScriptProgram) -> Worker? {
        busy[ExactText(program.owner), default: 0] += 1
        guard let lastIndex = idle.indices.last else { return nil }
        let matchingIndex = idle.lastIndex { ExactText.areEqual($0.program, program.key) }
        // A new process is started although another process may be idle, so that each program stays loaded in its own
        // process. This is only done while few processes are idle and more processes may be started.
        if matchingIndex == nil, idle.count + busyCount <= limits.workersMax, idle.count < limits.workersMax / 2 {
            return nil
        }
        return idle.remove(at: matchingIndex ?? lastIndex).worker
    }
}
