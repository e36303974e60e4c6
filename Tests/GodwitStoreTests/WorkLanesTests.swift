//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@testable import GodwitStore

@Suite("Lanes of work")
struct WorkLanesTests {
    @Test("A client with one job is not delayed by a client with a thousand")
    func turns() async {
        let lanes = WorkLanes(threadsMax: 1)
        let all = await withTaskGroup(of: String.self) { group in
            for number in 0..<1_001 {
                // The last job arrives when the others are already waiting.
                let owner = number < 1_000 ? "many" : "one"
                group.addTask(executorPreference: lanes.lane(of: owner)) {
                    usleep(200)
                    return owner
                }
            }
            // The names of the jobs in the order in which they ended.
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(all.count == 1_001)
        #expect(all.firstIndex(of: "one")! < 900)
    }

    @Test("One client leaves a thread to others, unless it may use all", arguments: [false, true])
    func share(takesAll: Bool) async {
        let lanes = WorkLanes(threadsMax: 3)
        let jobs = RunningJobs()
        let threads = takesAll ? 3 : 2
        await withTaskGroup { group in
            for _ in 0..<60 {
                group.addTask(executorPreference: lanes.lane(of: "many", takesAll: takesAll)) {
                    jobs.add(1)
                    // On a busy machine it can take long until all threads have a job.
                    for _ in 0..<10_000 where jobs.most < threads { usleep(1_000) }
                    jobs.add(-1)
                }
            }
        }
        #expect(jobs.most == threads)
    }

    @Test("Tasks that a task starts use its lane too, and memory is released")
    func budget() async throws {
        let pool = MemoryPool(bytesMax: 100, ownerBytesMax: 60)
        let lane = WorkLanes(threadsMax: 2).lane(of: "a")
        try await Task(executorPreference: lane) {
            let budget = WorkBudget(share: MemoryShare(of: pool, owner: "a"))
            try await WorkBudget.$current.withValue(budget) {
                try WorkBudget.current?.take(bytes: 50)
                #expect(throws: MemoryExhausted.self) {
                    try WorkBudget.current?.take(bytes: 20)
                }
                let other = WorkBudget(share: MemoryShare(of: pool, owner: "b"))
                #expect(throws: MemoryExhausted.self) { try other.take(bytes: 55) }
                let isSeen = await BlockingPool(threadsMax: 1).sees(budget)
                #expect(isSeen)
            }
        }.value
        // The worker thread releases the budget shortly after its task resumes.
        for _ in 0..<1_000 where pool.bytesTaken > 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(pool.bytesTaken == 0)
    }
}

/// Counts concurrent jobs.
private final class RunningJobs: Sendable {
    private let state = Mutex((now: 0, most: 0))

    /// The maximum number of concurrent jobs.
    var most: Int { state.withLock(\.most) }

    func add(_ count: Int) {
        state.withLock { state in
            state.now += count
            state.most = max(state.most, state.now)
        }
    }
}

extension BlockingPool {
    /// Returns whether work on the pool's threads has the budget of the calling task.
    fileprivate func sees(_ budget: WorkBudget) async -> Bool {
        (try? await run { WorkBudget.current === budget }) ?? false
    }
}
