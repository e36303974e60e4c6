//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// A bounded number of threads for costly work of clients, shared fairly among the clients.
///
/// Tasks of a ``WorkLane`` run here and not on the threads that serve point reads and logins. If several lanes have
/// jobs, each lane runs one job in turn, so a client with a thousand requests delays another by one job at most. A job
/// is the part of a task between two suspensions; costly work suspends after each slice.
///
/// One owner can use all threads but one (``jobsPerOwnerMax``), so that one processor remains for the threads that
/// serve other clients. The server's own work, and that of administrators, can use all threads.
///
/// The threads yield whenever they draw steps (``WorkBudget/draw(_:)``), so that a point read rarely waits until the
/// system preempts a scan. A lower priority would help more, but every thread that such a thread starts inherits it,
/// including those that serve requests. Longer time slices, which Linux 6.12 lets waking threads interrupt, made scans
/// yield sooner and all other work slower.
package final class WorkLanes: Sendable {
    /// The lanes of the process.
    package static let shared = WorkLanes(threadsMax: StoreLimits.workThreadsMax)

    /// The jobs of one owner. All lanes of the owner share it and keep it alive.
    fileprivate final class Line: Sendable {
        /// Guarded by the lock of the lanes.
        nonisolated(unsafe) var waiting = JobQueue<(job: UnownedJob, lane: WorkLane)>()
        /// The number of jobs that run now. Guarded by the lock of the lanes.
        nonisolated(unsafe) var running = 0
        /// Whether `State.turns` contains the line. Guarded by the lock of the lanes.
        nonisolated(unsafe) var isInTurns = false
        /// The largest number of jobs that run at the same time.
        let runningMax: Int

        init(runningMax: Int) { self.runningMax = runningMax }
    }

    private struct WeakLine {
        weak var line: Line?
    }

    private struct State {
        /// The lines of owners. Some of them no longer have a lane.
        var lines: [String: WeakLine] = [:]
        /// The number of lines at which those without a lane are removed.
        var linesMax = WorkLanes.linesKept
        /// The lines that have jobs, in the order of their turns.
        var turns = JobQueue<Line>()

        mutating func line(of owner: String, runningMax: Int) -> Line {
            if let line = lines[owner]?.line { return line }
            let line = Line(runningMax: runningMax)
            lines[owner] = WeakLine(line: line)
            if lines.count > linesMax {
                lines = lines.filter { $0.value.line != nil }
                linesMax = max(WorkLanes.linesKept, 2 * lines.count)
            }
            return line
        }

        /// Adds the line to the turns if it has a job that may run.
        ///
        /// - Returns: Whether it was added, so that the caller must start a thread for it.
        mutating func addTurn(of line: Line) -> Bool {
            guard !line.isInTurns, !line.waiting.isEmpty, line.running < line.runningMax else { return false }
            line.isInTurns = true
            turns.append(line)
            return true
        }
    }

    /// The smallest number of lines at which those without a lane are removed.
    private static let linesKept = 1_000

    private let pool: BlockingPool
    private let state = Mutex(State())
    private let threadsMax: Int

    /// The number of jobs of one owner that can run at the same time, unless the owner can use all threads.
    private var jobsPerOwnerMax: Int { max(1, threadsMax - 1) }

    /// Creates lanes with their own threads.
    ///
    /// - Parameter threadsMax: The number of threads.
    package init(threadsMax: Int) {
        self.threadsMax = threadsMax
        pool = BlockingPool(threadsMax: threadsMax, stackBytes: StoreLimits.workStackBytes)
    }

    /// Creates an executor for the tasks of one client.
    ///
    /// - Parameter takesAll: Whether the owner's jobs can run on all threads at the same time. The value of an owner's
    ///   first lane applies to all its lanes that are created while one exists.
    package func lane(of owner: String, takesAll: Bool = false) -> WorkLane {
        let runningMax = takesAll ? threadsMax : jobsPerOwnerMax
        return WorkLane(lanes: self, line: state.withLock { $0.line(of: owner, runningMax: runningMax) })
    }

    fileprivate func enqueue(_ job: UnownedJob, _ lane: WorkLane) {
        let isDue = state.withLock { state in
            lane.line.waiting.append((job, lane))
            return state.addTurn(of: lane.line)
        }
        if isDue { pool.submit { self.runNext() } }
    }

    /// Runs one job. Called once for each turn.
    private func runNext() {
        let next = state.withLock { state -> (job: UnownedJob, lane: WorkLane, isDue: Bool)? in
            guard let line = state.turns.popFirst() else { return nil }
            line.isInTurns = false
            guard let next = line.waiting.popFirst() else { return nil }
            line.running += 1
            return (next.job, next.lane, state.addTurn(of: line))
        }
        guard let next else { return }
        if next.isDue { pool.submit { self.runNext() } }
        next.job.runSynchronously(on: next.lane.asUnownedTaskExecutor())
        let isDue = state.withLock { state in
            next.lane.line.running -= 1
            return state.addTurn(of: next.lane.line)
        }
        if isDue { pool.submit { self.runNext() } }
    }
}

/// The executor of the tasks of one client.
package final class WorkLane: TaskExecutor {
    /// The lane of the client that the current task works for, for its child tasks; `nil` for other work.
    @TaskLocal package static var current: WorkLane?

    private let lanes: WorkLanes
    fileprivate let line: WorkLanes.Line

    fileprivate init(lanes: WorkLanes, line: WorkLanes.Line) {
        self.lanes = lanes
        self.line = line
    }

    /// Queues a job after the other jobs of the same client.
    package func enqueue(_ job: consuming ExecutorJob) { lanes.enqueue(UnownedJob(job), self) }
}
