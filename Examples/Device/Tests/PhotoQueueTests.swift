//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
import Testing

@testable import GodwitPhotos

@Suite("The pictures that wait")
struct PhotoQueueTests {
    @Test("The owners take turns, and each picture is taken once")
    func turns() {
        var queue = PhotoQueue()
        let taken = Mutex<[String]>([])
        let add = { (queue: inout PhotoQueue, owner: String, name: String) in
            queue.append(for: owner, PhotoLimits()) { taken.withLock { $0.append(name) } }
        }
        for number in 0..<4 { #expect(add(&queue, "eve", "e\(number)")) }
        #expect(add(&queue, "ann", "a0"))
        #expect(add(&queue, "ben", "b0"))
        #expect(add(&queue, "ann", "a1"))
        while let job = queue.next() { job() }
        #expect(taken.withLock { $0 } == ["e0", "a0", "b0", "e1", "a1", "e2", "e3"])
        #expect(queue.next() == nil)
    }

    @Test("An owner with too many pictures is refused, and others are not")
    func limits() {
        var queue = PhotoQueue()
        let limits = PhotoLimits()
        for _ in 0..<limits.waitingPerOwnerMax { #expect(queue.append(for: "eve", limits) {}) }
        #expect(!queue.append(for: "eve", limits) {})
        #expect(queue.append(for: "ann", limits) {})
        _ = queue.next()
        #expect(queue.append(for: "eve", limits) {})
        var number = 0
        while queue.append(for: "user-\(number)", limits, {}) { number += 1 }
        #expect(number == limits.waitingMax - limits.waitingPerOwnerMax - 1)
    }
}
