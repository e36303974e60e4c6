//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitStore

@Suite("The hub of changes")
struct ChangeHubTests {
    /// Starts waiters, and returns when all of them wait.
    private func start(_ count: Int, at hub: ChangeHub) async -> [Task<Bool, Never>] {
        let waiters = (0..<count).map { _ in Task { await hub.wait(after: 0) } }
        while hub.waiterCount < count { await Task.yield() }
        return waiters
    }

    private func state(_ sequence: Int64) -> DatabaseState {
        DatabaseState(counters: .init(sequence: sequence))
    }

    private func answers(_ waiters: [Task<Bool, Never>]) async -> [Bool] {
        var answers: [Bool] = []
        for waiter in waiters { answers.append(await waiter.value) }
        return answers
    }

    @Test func oneCommitWakesAThousand() async {
        let hub = ChangeHub(DatabaseState())
        let waiters = await start(1_000, at: hub)
        hub.publish(state(0), changes: []).resume()
        #expect(hub.waiterCount == 1_000)
        hub.publish(state(1), changes: []).resume()
        #expect(await answers(waiters).count { $0 } == 1_000)
        #expect(hub.waiterCount == 0)
        #expect(hub.current.sequence == 1)
    }

    @Test func closingEndsAThousand() async {
        let hub = ChangeHub(DatabaseState())
        let waiters = await start(1_000, at: hub)
        hub.close()
        #expect(await answers(waiters).count { !$0 } == 1_000)
        #expect(await !hub.wait(after: 0))
    }

    @Test("Cancelling ends only the cancelled ones")
    func cancellation() async {
        let hub = ChangeHub(DatabaseState())
        let waiters = await start(1_000, at: hub)
        for waiter in waiters.prefix(500) { waiter.cancel() }
        #expect(await answers(Array(waiters.prefix(500))).allSatisfy { !$0 })
        #expect(hub.waiterCount == 500)
        hub.publish(state(1), changes: []).resume()
        #expect(await answers(Array(waiters.suffix(500))).allSatisfy { $0 })
    }

    @Test("A reader that is behind does not wait, nor does a cancelled task")
    func immediate() async {
        let hub = ChangeHub(state(5))
        #expect(await hub.wait(after: 4))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await hub.wait(after: 5)
        }
        task.cancel()
        #expect(await !task.value)
        #expect(hub.waiterCount == 0)
    }
}
