//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A bounded number of threads for costly work of clients, shared fairly among the clients.
///
/// Tasks of a ``WorkLane`` run here and not on the threads that serve point reads and logins. Each lane belongs to an
/// owner, which is a client, and all lanes of an owner share one queue. If the queues of several owners have jobs, the
/// queues alternate: one job of each queue runs in turn. Therefore, a client with a thousand requests delays another
/// client by the time of at most one job. A job is the part of a task between two suspensions. Costly work suspends
/// after each slice.
///
/// The jobs of one owner can occupy all threads except one (``jobsPerOwnerMax``), if there are at least two threads. So
/// one processor remains for the threads that serve other clients. The server's own work and the work of administrators
/// can occupy all threads.
///
/// A thread yields its processor each time it draws steps from a work budget (``WorkBudget/draw(_:)``). So a point read
/// rarely waits until the system preempts a scan.
///
/// Two other ways were rejected. A lower priority of these threads would help more. But if a thread with low priority
/// starts another thread, the new thread inherits the low priority, and some of the threads that are started in this
/// way serve requests. In Linux 6.12, a thread that wakes up can interrupt a thread with a longer time slice, so longer
/// time slices of scans would also let point reads run sooner. But with them, all other work was slower.
package final class WorkLanes: Sendable {
    /// The lanes of the process.
    package static let shared = WorkLanes(threadsMax: StoreLimits.workThreadsMax)

    /// The queue of the jobs of one owner. All lanes of the owner share the queue and keep it alive.
    fileprivate final class OwnerQueue: Sendable {
        /// Guarded by the lock of the lanes.
        nonisolated(unsafe) var waiting = JobQueue<(job: UnownedJob, lane: WorkLane)>()
        /// The number of jobs that run now. Guarded by the lock of the lanes.
        nonisolated(unsafe) var runningCount = 0
        /// Whether `State.readyQueues` contains the queue. Guarded by the lock of the lanes.
        nonisolated(unsafe) var isReady = false
        /// The largest number of jobs that run at the same time.
        let runningMax: Int

        init(runningMax: Int) { self.runningMax = runningMax }
    }

    private struct WeakQueue {
        weak var queue: OwnerQueue?
    }

    private struct State {
        /// The queues, keyed by owner. Some of them no longer have a lane.
        var queues: [ExactText: WeakQueue] = [:]
        /// The maximum number of queues. If it is exceeded, queues without a lane are removed, and the maximum changes.
        var queuesMax = WorkLanes.queuesKept
        /// The queues that have a job that may run. The next job to run is the first job of the first queue.
        var readyQueues = JobQueue<OwnerQueue>()

        mutating func queue(of owner: String, runningMax: Int) -> OwnerQueue {
            let owner = ExactText(owner)
            if let queue = queues[owner]?.queue { return queue }
            let queue = OwnerQueue(runningMax: runningMax)
            queues[owner] = WeakQueue(queue: queue)
            if queues.count > queuesMax {
                queues = queues.filter { $0.value.queue != nil }
                queuesMax = max(WorkLanes.queuesKept, 2 * queues.count)
            }
            return queue
        }

        /// Adds the queue to the ready queues if it has a job that may run.
        ///
        /// - Returns: Whether the queue was added. If it was, the caller must let a thread of the pool run the next
        ///   job.
        mutating func addIfReady(of queue: OwnerQueue) -> Bool {
            guard !queue.isReady, !queue.waiting.isEmpty, queue.runningCount < queue.runningMax else { return false }
            queue.isReady = true
            readyQueues.append(queue)
            return true
        }
    }

    /// The lowest value of `State.queuesMax`.
    private static let queuesKept = 1_000

    private let pool: BlockingPool
    private let state = Mutex(State())
    private let threadsMax: Int

    /// The number of jobs that can run at the same time for an owner that cannot use all threads.
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
    /// - Parameter takesAll: Whether the owner's jobs can run on all threads at the same time. If the owner already has
    ///   a lane, the value that was given for that lane is used instead.
    package func lane(of owner: String, takesAll: Bool = false) -> WorkLane {
        let runningMax = takesAll ? threadsMax : jobsPerOwnerMax
        return WorkLane(lanes: self, queue: state.withLock { $0.queue(of: owner, runningMax: runningMax) })
    }

    fileprivate func enqueue(_ job: UnownedJob, _ lane: WorkLane) {
        let isDue = state.withLock { state in
            lane.queue.waiting.append((job, lane))
            return state.addIfReady(of: lane.queue)
        }
        if isDue { pool.submit { self.runNext() } }
    }

    /// Runs one job of the first ready queue. Called once each time a queue becomes ready.
    private func runNext() {
        let next = state.withLock { state -> (job: UnownedJob, lane: WorkLane, isDue: Bool)? in
            guard let queue = state.readyQueues.popFirst() else { return nil }
            queue.isReady = false
            guard let next = queue.waiting.popFirst() else { return nil }
            queue.runningCount += 1
            invariant(queue.runningCount <= queue.runningMax, "an owner runs no more jobs than its limit")
            return (next.job, next.lane, state.addIfReady(of: queue))
        }
        guard let next else { return }
        if next.isDue { pool.submit { self.runNext() } }
        next.job.runSynchronously(on: next.lane.asUnownedTaskExecutor())
        let isDue = state.withLock { state in
            next.lane.queue.runningCount -= 1
            invariant(next.lane.queue.runningCount >= 0, "a job that ends has begun")
            return state.addIfReady(of: next.lane.queue)
        }
        if isDue { pool.submit { self.runNext() } }
    }
}

/// The executor of the tasks of one client.
package final class WorkLane: TaskExecutor {
    /// The lane of the client for which the current task works; `nil` if the task works for no client. Child tasks can
    /// use this lane.
    @TaskLocal package static var current: WorkLane?

    private let lanes: WorkLanes
    fileprivate let queue: WorkLanes.OwnerQueue

    fileprivate init(lanes: WorkLanes, queue: WorkLanes.OwnerQueue) {
        self.lanes = lanes
        self.queue = queue
    }

    /// Queues a job after the other jobs of the same client.
    package func enqueue(_ job: consuming ExecutorJob) { lanes.enqueue(UnownedJob(job), self) }
}
