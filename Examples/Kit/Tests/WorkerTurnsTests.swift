//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ProgramKit
import Testing

@Suite("Turns of the owners")
struct WorkerTurnsTests {
    @Test("The owners take turns, and each element is taken once")
    func turns() {
        var queue = TurnQueue<String>(waitingMax: 100, waitingPerOwnerMax: 10)
        let added = ["e0 eve", "e1 eve", "e2 eve", "e3 eve", "a0 ann", "b0 ben", "a1 ann"].map {
            $0.split(separator: " ")
        }
        for element in added {
            let isAdded = queue.append(String(element[0]), for: String(element[1]))
            #expect(isAdded)
        }
        var taken: [String] = []
        while let element = queue.next() { taken.append(element) }
        #expect(taken == ["e0", "a0", "b0", "e1", "a1", "e2", "e3"])
        #expect(queue.count == 0)
    }

    @Test("An owner with too many elements is refused, and others are not")
    func limits() {
        var queue = TurnQueue<Int>(waitingMax: 20, waitingPerOwnerMax: 8)
        let added = (0..<9).map { queue.append($0, for: "eve") } + [queue.append(0, for: "ann")]
        #expect(added == [true, true, true, true, true, true, true, true, false, true])
        _ = queue.next()
        let isAdded = queue.append(8, for: "eve")
        #expect(isAdded)
        var number = 0
        while queue.append(number, for: "user-\(number)") { number += 1 }
        #expect(number == 11)
    }

    @Test("A removed element leaves no turn behind")
    func removal() {
        var queue = TurnQueue<Int>(waitingMax: 20, waitingPerOwnerMax: 8)
        for number in 0..<2 { _ = queue.append(number, for: "eve") }
        _ = queue.append(9, for: "ann")
        let removed = [queue.remove(of: "ann") { $0 == 8 }, queue.remove(of: "ann") { $0 == 9 }]
        #expect(removed == [nil, 9])
        let taken = [queue.next(), queue.next(), queue.next()]
        #expect(taken == [0, 1, nil])
    }

    @Test("Only some tasks work at the same time, and a cancelled task that waits leaves", .timeLimit(.minutes(5)))
    func tasks() async {
        let turns = WorkerTurns(runningMax: 2, waitingMax: 100, waitingPerOwnerMax: 100)
        let working = Working()
        await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    guard await turns.wait(for: "owner-\(number % 3)") else { return }
                    await working.begin()
                    await Task.yield()
                    await working.end()
                    turns.end()
                }
            }
        }
        #expect(await working.most == 2)
        for _ in 0..<2 { #expect(await turns.wait(for: "holder")) }
        let waiting = Task { await turns.wait(for: "leaver") }
        waiting.cancel()
        #expect(await waiting.value == false)
        turns.end()
        #expect(await turns.wait(for: "next"))
    }
}

/// Counts the tasks that work at the same time.
private actor Working {
    private var count = 0
    private(set) var most = 0

    func begin() {
        count += 1
        most = max(most, count)
    }

    func end() { count -= 1 }
}
