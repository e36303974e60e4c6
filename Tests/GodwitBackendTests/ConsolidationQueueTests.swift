//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitBackend

@Suite("The order in which databases are consolidated")
struct ConsolidationQueueTests {
    @Test("A database is queued once, no matter how often it is written")
    func once() {
        var queue = ConsolidationQueue(workersMax: 2)
        for name in ["a", "b", "a", "a"] { queue.add(name) }
        #expect(queue.next(now: 0) == "a")
        #expect(queue.next(now: 0) == "b")
        #expect(queue.next(now: 0) == nil)
    }

    @Test("At most the allowed number of databases is read at a time")
    func workers() {
        var queue = ConsolidationQueue(workersMax: 2)
        for name in ["a", "b", "c"] { queue.add(name) }
        #expect([queue.next(now: 0), queue.next(now: 0), queue.next(now: 0)] == ["a", "b", nil])
        queue.finish("b", succeeded: true, now: 0)
        #expect(queue.next(now: 0) == "c")
    }

    @Test("A database that is written while it is read is read again, never twice at a time")
    func again() {
        var queue = ConsolidationQueue(workersMax: 2)
        queue.add("a")
        #expect(queue.next(now: 0) == "a")
        queue.add("a")
        #expect(queue.next(now: 0) == nil)
        queue.finish("a", succeeded: true, now: 0)
        #expect(queue.next(now: 0) == "a")
        queue.finish("a", succeeded: true, now: 0)
        #expect(queue.next(now: 0) == nil)
    }

    @Test("After each failure a database waits longer, without delaying others")
    func failures() {
        var queue = ConsolidationQueue(workersMax: 1)
        queue.add("bad")
        queue.add("good")
        #expect(queue.next(now: 0) == "bad")
        queue.finish("bad", succeeded: false, now: 0)
        #expect(queue.failing == ["bad"])
        #expect(queue.next(now: 0) == "good")
        queue.finish("good", succeeded: true, now: 0)
        queue.add("bad")
        #expect(queue.next(now: 0.9) == nil)
        #expect(queue.nextDueSeconds == 1)
        #expect(queue.next(now: 1) == "bad")
        queue.finish("bad", succeeded: false, now: 1)
        #expect(queue.next(now: 2.9) == nil)
        #expect(queue.next(now: 3) == "bad")
        queue.finish("bad", succeeded: true, now: 3)
        #expect(queue.failing.isEmpty)
    }

    @Test("A paused database is not read until it is resumed")
    func pauses() {
        var queue = ConsolidationQueue(workersMax: 2)
        queue.add("a")
        #expect(queue.next(now: 0) == "a")
        let isIdle = queue.pause("a")
        #expect(!isIdle)
        queue.add("a")
        queue.finish("a", succeeded: true, now: 0)
        let isIdleNow = queue.pause("a")
        #expect(isIdleNow)
        #expect(queue.next(now: 0) == nil)
        queue.resume("a")
        #expect(queue.next(now: 0) == "a")
    }

    @Test("A checkpoint is ready when all databases that waited at its start were read completely")
    func checkpoints() {
        var queue = ConsolidationQueue(workersMax: 4)
        #expect(!queue.isCheckpointReady)
        queue.add("a")
        #expect(queue.next(now: 0) == "a")
        queue.add("b")
        queue.beginCheckpoint()
        #expect(!queue.hasNews)
        // The database is written to while it is read: the read may not include the write.
        queue.add("a")
        queue.finish("a", succeeded: true, now: 0)
        #expect(queue.next(now: 0) == "b")
        queue.finish("b", succeeded: true, now: 0)
        #expect(!queue.isCheckpointReady)
        #expect(queue.next(now: 0) == "a")
        // Later additions do not delay the checkpoint.
        queue.add("c")
        queue.finish("a", succeeded: true, now: 0)
        #expect(queue.isCheckpointReady)
        #expect(queue.hasNews)
        queue.endCheckpoint()
        #expect(!queue.isCheckpointReady)
    }

    @Test("A database that always fails does not delay a checkpoint")
    func checkpointsWithFailures() {
        var queue = ConsolidationQueue(workersMax: 1)
        queue.add("bad")
        #expect(queue.next(now: 0) == "bad")
        queue.beginCheckpoint()
        #expect(!queue.isCheckpointReady)
        queue.finish("bad", succeeded: false, now: 0)
        #expect(queue.isCheckpointReady)
        #expect(queue.failing == ["bad"])
    }
}
