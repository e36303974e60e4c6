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
///
/// One owner has all threads but one (``jobsPerOwnerMax``), so that whatever one client asks for, a processor is left for
/// the threads that answer the others. The server's own work, and that of administrators, may have them all.
///
/// The threads give way whenever they draw steps (``WorkBudget/draw(_:)``), so that a point read rarely waits until the
/// system takes the processor from a scan. A lower priority helps more, but every thread that such a thread starts inherits
/// it, among them those that answer. Longer time slices, which Linux 6.12 lets waking threads break, made scans yield sooner
/// and everything else later.
package final class WorkLanes: Sendable {
    /// The lanes of the process.
    package static let shared = WorkLanes(threadsMax: StoreLimits.workThreadsMax)

    /// The jobs of one owner. All lanes of the owner share it, and keep it.
    fileprivate final class Line: Sendable {
        /// Guarded by the lock of the lanes.
        nonisolated(unsafe) var waiting = JobQueue<(job: UnownedJob, lane: WorkLane)>()
        /// The number of jobs that run now. Guarded by the lock of the lanes.
        nonisolated(unsafe) var running = 0
        /// Whether `State.turns` contains the line. Guarded by the lock of the lanes.
        nonisolated(unsafe) var isInTurns = false
        /// Jobs that run at most at a time.
        let runningMax: Int

        init(runningMax: Int) { self.runningMax = runningMax }
    }

    private struct WeakLine {
        weak var line: Line?
    }

    private struct State {
        /// The lines of owners, some of which have no lane any more.
        var lines: [String: WeakLine] = [:]
        /// Lines at which those without a lane are taken out.
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

        /// Gives the line a turn when it has a job that may run.
        ///
        /// - Returns: Whether it got one, for which a thread is to be found.
        mutating func addTurn(of line: Line) -> Bool {
            guard !line.isInTurns, !line.waiting.isEmpty, line.running < line.runningMax else { return false }
            line.isInTurns = true
            turns.append(line)
            return true
        }
    }

    /// Owners that are remembered without a lane, at most as many again as have one.
    private static let linesKept = 1_000

    private let pool: BlockingPool
    private let state = Mutex(State())
    private let threadsMax: Int

    /// Jobs of one owner that run at a time, unless the owner may have all threads.
    private var jobsPerOwnerMax: Int { max(1, threadsMax - 1) }

    /// - Parameter threadsMax: Threads that work at a time.
    package init(threadsMax: Int) {
        self.threadsMax = threadsMax
        pool = BlockingPool(threadsMax: threadsMax, stackBytes: StoreLimits.workStackBytes)
    }

    /// The executor of one client's tasks.
    ///
    /// - Parameter takesAll: Whether the owner's jobs may run on all threads at a time. What the first lane of an owner says
    ///   holds for those that are made while it is there.
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

    /// Runs one job. Each turn is for one call.
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
    /// The lane of the client for which the current task works, for the tasks that it starts; `nil` for other work.
    @TaskLocal package static var current: WorkLane?

    private let lanes: WorkLanes
    fileprivate let line: WorkLanes.Line

    fileprivate init(lanes: WorkLanes, line: WorkLanes.Line) {
        self.lanes = lanes
        self.line = line
    }

    /// Queues a job behind those of the same client.
    package func enqueue(_ job: consuming ExecutorJob) { lanes.enqueue(UnownedJob(job), self) }
}
