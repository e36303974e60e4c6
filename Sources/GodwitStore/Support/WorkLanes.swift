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

    private struct State {
        /// The jobs of each owner that has some, with the executor that they belong to.
        var waiting: [String: JobQueue<(job: UnownedJob, lane: WorkLane)>] = [:]
        /// The owners that have jobs, in the order of their turns.
        var turns = JobQueue<String>()
    }

    private let pool: BlockingPool
    private let state = Mutex(State())

    /// - Parameter threadsMax: Threads that work at a time.
    package init(threadsMax: Int) {
        pool = BlockingPool(threadsMax: threadsMax, stackBytes: StoreLimits.workStackBytes)
    }

    /// The executor of one client's tasks.
    package func lane(of owner: String) -> WorkLane { WorkLane(lanes: self, owner: owner) }

    fileprivate func enqueue(_ job: UnownedJob, _ lane: WorkLane) {
        state.withLock { state in
            if state.waiting[lane.owner] == nil { state.turns.append(lane.owner) }
            state.waiting[lane.owner, default: JobQueue()].append((job, lane))
        }
        pool.submit { self.runNext() }
    }

    private func runNext() {
        let next = state.withLock { state -> (job: UnownedJob, lane: WorkLane)? in
            guard let owner = state.turns.popFirst(), let next = state.waiting[owner]?.popFirst() else { return nil }
            if state.waiting[owner]?.isEmpty == true {
                state.waiting[owner] = nil
            } else {
                state.turns.append(owner)
            }
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
    fileprivate let owner: String

    fileprivate init(lanes: WorkLanes, owner: String) {
        self.lanes = lanes
        self.owner = owner
    }

    /// Queues a job behind those of the same client.
    package func enqueue(_ job: consuming ExecutorJob) { lanes.enqueue(UnownedJob(job), self) }
}
