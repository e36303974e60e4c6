//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitSync

/// Tests the memory that replications share (issue 21, number 2).
@Suite struct ReplicationMemoryTests {
    @Test func oneOwnerLeavesRoomForOthers() async {
        let memory = ReplicationMemory(bytesMax: 100, ownerBytesMax: 40)
        #expect(await memory.take(40, for: "a"))
        let waits = Task { await memory.take(10, for: "a") }
        #expect(await memory.take(40, for: "b"))
        memory.add(-40, for: "a")
        #expect(await waits.value)
    }

    @Test func whoIsCancelledTakesNothing() async {
        let memory = ReplicationMemory(bytesMax: 100, ownerBytesMax: 100)
        #expect(await memory.take(100, for: "a"))
        let waits = Task { await memory.take(10, for: "b") }
        waits.cancel()
        #expect(await !waits.value)
        memory.add(-100, for: "a")
        #expect(await memory.take(100, for: "c"), "nothing is left taken")
    }

    @Test func aShareGivesBackWhatItTook() async throws {
        let memory = ReplicationMemory(bytesMax: 100, ownerBytesMax: 100)
        let share = ReplicationShare(memory, owner: "a")
        try await share.take(60, for: 1)
        share.note(documents: 90, ended: 1)
        let waits = Task { await memory.take(20, for: "b") }
        share.note(documents: 10, ended: nil)
        #expect(await waits.value)
        try await share.take(60, for: 2)
        share.end()
        #expect(await memory.take(80, for: "c"))
    }
}
