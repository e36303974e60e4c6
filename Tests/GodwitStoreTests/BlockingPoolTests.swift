//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Testing

@testable import GodwitStore

@Suite("The pool of blocking threads")
struct BlockingPoolTests {
    @Test("Never more jobs at a time than threads, and every job runs")
    func bounded() async throws {
        let pool = BlockingPool(threadsMax: 3)
        let counts = Shared((running: 0, most: 0, done: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<300 {
                group.addTask {
                    try await pool.run {
                        counts.change {
                            $0.running += 1
                            $0.most = max($0.most, $0.running)
                        }
                        for _ in 0..<1_000 where counts.value.running < 0 {}
                        counts.change {
                            $0.running -= 1
                            $0.done += 1
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(counts.value.done == 300)
        #expect((1...3).contains(counts.value.most))
    }

    @Test("One thread runs jobs in order, also with a queue that is long and never empty")
    func order() {
        let pool = BlockingPool(threadsMax: 1)
        let done = DispatchSemaphore(value: 0)
        let order = Shared([Int]())
        let gate = DispatchSemaphore(value: 0)
        pool.submit { gate.wait() }
        for number in 0..<5_000 {
            pool.submit {
                order.change { $0.append(number) }
                // The queue is refilled from its own jobs, so that it is compacted while it is in use.
                if number < 2_000 { pool.submit { order.change { $0.append(5_000 + number) } } }
                if number == 4_999 { pool.submit { done.signal() } }
            }
        }
        gate.signal()
        done.wait()
        #expect(order.value == Array(0..<7_000))
    }

    @Test("Jobs that block do not stop Swift's tasks")
    func tasksGoOn() async {
        let pool = BlockingPool(threadsMax: 64)
        let gate = DispatchSemaphore(value: 0)
        let blocked = Shared(0)
        for _ in 0..<64 {
            pool.submit {
                blocked.change { $0 += 1 }
                gate.wait()
            }
        }
        let start = ContinuousClock.now
        // With the threads of Swift's tasks, this would take a minute: libdispatch adds at most one of them each
        // second.
        while blocked.value < 64, ContinuousClock.now - start < .seconds(30) { await Task.yield() }
        #expect(blocked.value == 64)
        for _ in 0..<64 { gate.signal() }
    }

    @Test func failuresReachTheirCaller() async {
        let pool = BlockingPool(threadsMax: 2)
        await expectFailure(.conflict) { try await pool.run { throw StoreError(.conflict, "") } }
    }
}
