//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Says who runs next in which process. It knows neither processes nor threads, only how many there may be.
struct WorkerScheduler<Worker, Waiter> {
    /// What a call is told.
    enum Reply {
        /// Run, in this process or in a new one.
        case go(Worker?)
        /// Wait until ``leave(_:_:at:)`` names you.
        case wait
        /// Too many wait.
        case refuse
    }

    private struct Idle {
        let worker: Worker
        /// The program that it ran last.
        let program: String
        let since: Double
    }

    private struct Waiting {
        let program: ScriptProgram
        let waiter: Waiter
    }

    private(set) var limits: ScriptLimits
    private var idle: [Idle] = []
    private var busy: [String: Int] = [:]
    private var waiting: [Waiting] = []

    init(limits: ScriptLimits) { self.limits = limits }

    /// How many calls are under way.
    var busyCount: Int { busy.values.reduce(0, +) }
    /// Whether there are processes without work.
    var hasIdle: Bool { !idle.isEmpty }

    /// A call comes.
    ///
    /// - Parameter waits: Whether it may be told to wait; what answers a running call may not.
    mutating func enter(_ program: ScriptProgram, _ waiter: Waiter, waits: Bool = true) -> Reply {
        if !waits || mayRun(program.owner) { return .go(begin(program)) }
        guard waiting.count < limits.callsWaitingMax else { return .refuse }
        waiting.append(Waiting(program: program, waiter: waiter))
        return .wait
    }

    /// A call is over; its process, unless it died, is free.
    ///
    /// - Returns: Who runs next, and where.
    mutating func leave(_ program: ScriptProgram, _ worker: Worker?, at now: Double) -> (Waiter, Worker?)? {
        let count = busy[program.owner, default: 1] - 1
        busy[program.owner] = count == 0 ? nil : count
        if let worker, idle.count + busyCount < limits.workersMax {
            idle.append(Idle(worker: worker, program: program.key, since: now))
        }
        return next()
    }

    /// Changes the limits; no process that was started under others is used again.
    ///
    /// - Returns: The processes that are free, to be ended, and who runs now that did not before, in new ones.
    mutating func change(_ limits: ScriptLimits) -> (idle: [Worker], started: [Waiter]) {
        let freed = dismiss(idleSince: .infinity)
        self.limits = limits
        var started: [Waiter] = []
        while let (waiter, _) = next() { started.append(waiter) }
        return (freed, started)
    }

    /// Who runs next, and where.
    private mutating func next() -> (Waiter, Worker?)? {
        guard let next = waiting.firstIndex(where: { mayRun($0.program.owner) }) else { return nil }
        let call = waiting.remove(at: next)
        return (call.waiter, begin(call.program))
    }

    /// Takes out processes that had nothing to do since a moment.
    mutating func dismiss(idleSince moment: Double) -> [Worker] {
        let rested = idle.filter { $0.since <= moment }.map(\.worker)
        idle.removeAll { $0.since <= moment }
        return rested
    }

    private func mayRun(_ owner: String) -> Bool {
        busyCount < limits.workersMax && busy[owner, default: 0] < limits.workersPerDatabaseMax
    }

    /// Counts a call as running and chooses its process: one that ran its program last, or the one used last.
    private mutating func begin(_ program: ScriptProgram) -> Worker? {
        busy[program.owner, default: 0] += 1
        guard let last = idle.indices.last else { return nil }
        let known = idle.lastIndex { $0.program == program.key }
        // With a process to spare, a program gets one of its own: it stays ready there.
        if known == nil, idle.count + busyCount <= limits.workersMax, idle.count < limits.workersMax / 2 { return nil }
        return idle.remove(at: known ?? last).worker
    }
}
