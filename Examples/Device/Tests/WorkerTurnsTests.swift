//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ExampleWorkers
import Synchronization
import Testing

@Suite("Turns of the owners")
struct WorkerTurnsTests {
    @Test("The owners take turns, and each element is taken once")
    func turns() {
        var queue = TurnQueue<String>(waitingMax: 100, waitingPerOwnerMax: 10)
        for number in 0..<4 { #expect(queue.append("e\(number)", for: "eve")) }
        #expect(queue.append("a0", for: "ann"))
        #expect(queue.append("b0", for: "ben"))
        #expect(queue.append("a1", for: "ann"))
        var taken: [String] = []
        while let element = queue.next() { taken.append(element) }
        #expect(taken == ["e0", "a0", "b0", "e1", "a1", "e2", "e3"])
        #expect(queue.count == 0)
    }

    @Test("An owner with too many elements is refused, and others are not")
    func limits() {
        var queue = TurnQueue<Int>(waitingMax: 20, waitingPerOwnerMax: 8)
        for number in 0..<8 { #expect(queue.append(number, for: "eve")) }
        #expect(!queue.append(8, for: "eve"))
        #expect(queue.append(0, for: "ann"))
        _ = queue.next()
        #expect(queue.append(8, for: "eve"))
        var number = 0
        while queue.append(number, for: "user-\(number)") { number += 1 }
        #expect(number == 11)
    }

    @Test("A removed element leaves no turn behind")
    func removal() {
        var queue = TurnQueue<Int>(waitingMax: 20, waitingPerOwnerMax: 8)
        for number in 0..<2 { #expect(queue.append(number, for: "eve")) }
        #expect(queue.append(9, for: "ann"))
        #expect(queue.remove(of: "ann") { $0 == 8 } == nil)
        #expect(queue.remove(of: "ann") { $0 == 9 } == 9)
        #expect(queue.next() == 0)
        #expect(queue.next() == 1)
        #expect(queue.next() == nil)
    }

    @Test("Only some tasks work at the same time, and a cancelled task that waits leaves", .timeLimit(.minutes(1)))
    func tasks() async {
        let turns = WorkerTurns(runningMax: 2, waitingMax: 100, waitingPerOwnerMax: 100)
        let working = Mutex((now: 0, most: 0))
        await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    guard await turns.wait(for: "owner-\(number % 3)") else { return }
                    working.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    await Task.yield()
                    working.withLock { $0.now -= 1 }
                    turns.end()
                }
            }
        }
        #expect(working.withLock { $0.most } == 2)
        for _ in 0..<2 { #expect(await turns.wait(for: "holder")) }
        let waiting = Task { await turns.wait(for: "leaver") }
        waiting.cancel()
        #expect(await waiting.value == false)
        turns.end()
        #expect(await turns.wait(for: "next"))
    }
}
