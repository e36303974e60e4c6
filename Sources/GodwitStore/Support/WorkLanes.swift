//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// A bounded number of threads for work that clients ask for, with turns among the clients.
///
/// Tasks of a ``WorkLane`` run here and not on the threads that answer point reads and logins. When several lanes have
/// jobs, each lane runs one job in turn, so a client with a thousand requests delays another one by one job at most.
/// A job is what a task does between two suspensions; costly work suspends after each slice.
package final class WorkLanes: Sendable {
    /// The lanes of the process.
    package static let shared = WorkLanes(threadsMax: StoreLimits.workThreadsMax)

    /// The jobs of one owner, whose lanes share them.
    fileprivate final class Line: Sendable {
        let owner: String
        /// Guarded by the lock of the lanes.
        nonisolated(unsafe) var waiting = JobQueue<(job: UnownedJob, lane: WorkLane)>()
        /// Lanes that the owner has; guarded by the lock of the lanes.
        nonisolated(unsafe) var lanes = 0

        init(owner: String) { self.owner = owner }
    }

    private struct State {
        /// The lines of owners that have lanes.
        var lines: [String: Line] = [:]
        /// The lines that have jobs, in the order of their turns.
        var turns = JobQueue<Line>()
    }

    private let pool: BlockingPool
    private let state = Mutex(State())

    /// - Parameter threadsMax: Threads that work at a time.
    package init(threadsMax: Int) {
        pool = BlockingPool(threadsMax: threadsMax, stackBytes: StoreLimits.workStackBytes)
    }

    /// The executor of one client's tasks.
    package func lane(of owner: String) -> WorkLane {
        let line = state.withLock { state in
            let line = state.lines[owner] ?? Line(owner: owner)
            if line.lanes == 0 { state.lines[owner] = line }
            line.lanes += 1
            return line
        }
        return WorkLane(lanes: self, line: line)
    }

    fileprivate func leave(_ line: Line) {
        state.withLock { state in
            line.lanes -= 1
            if line.lanes == 0 { state.lines[line.owner] = nil }
        }
    }

    fileprivate func enqueue(_ job: UnownedJob, _ lane: WorkLane) {
        state.withLock { state in
            if lane.line.waiting.isEmpty { state.turns.append(lane.line) }
            lane.line.waiting.append((job, lane))
        }
        pool.submit { self.runNext() }
    }

    private func runNext() {
        let next = state.withLock { state -> (job: UnownedJob, lane: WorkLane)? in
            guard let line = state.turns.popFirst(), let next = line.waiting.popFirst() else { return nil }
            if !line.waiting.isEmpty { state.turns.append(line) }
            return next
        }
        guard let next else { return }
        next.job.runSynchronously(on: next.lane.asUnownedTaskExecutor())
    }
}

/// The executor of the tasks of one client.
package final class WorkLane: TaskExecutor {
    /// The lane of the client for which the current task works, for the tasks that it starts; `nil` for other work.
    @TaskLocal package static var current: WorkLane?

    private let lanes: WorkLanes
    fileprivate let line: WorkLanes.Line

    fileprivate init(lanes: WorkLanes, line: WorkLanes.Line) {
        self.lanes = lanes
        self.line = line
    }

    deinit { lanes.leave(line) }

    /// Queues a job behind those of the same client.
    package func enqueue(_ job: consuming ExecutorJob) { lanes.enqueue(UnownedJob(job), self) }
}
