//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitServer

/// How owners share the room for replications (issue 21, number 3).
@Suite struct ReplicationRoomTests {
    private final class Job {}

    private let now = ContinuousClock.now

    @Test func anOwnerOfManyGivesWayAtOnce() {
        var room = ReplicationRoom()
        let (many, other) = ((0..<700).map { _ in Job() }, Job())
        for job in many { room.join(ObjectIdentifier(job), owner: "many") }
        let filled = room.fill(roomMax: 500, now: now)
        #expect(filled.count == 500)
        #expect(room.giveWay(roomMax: 500) == [])
        room.join(ObjectIdentifier(other), owner: "other")
        #expect(room.fill(roomMax: 500, now: now) == [])
        let leaving = room.giveWay(roomMax: 500)
        #expect(leaving.count == 1 && room.isLeaving(leaving[0]))
        #expect(room.giveWay(roomMax: 500) == [], "one is enough")
        room.leave(leaving[0])
        room.join(leaving[0], owner: "many")
        #expect(room.fill(roomMax: 500, now: now) == [ObjectIdentifier(other)])
        #expect(room.giveWay(roomMax: 500) == [], "who has more than the share waits")
    }

    @Test func placesGoToTheOwnerWithTheFewest() {
        var room = ReplicationRoom()
        let jobs = (0..<9).map { _ in Job() }
        for (place, job) in jobs.enumerated() { room.join(ObjectIdentifier(job), owner: place < 6 ? "a" : "b") }
        let filled = Set(room.fill(roomMax: 4, now: now))
        #expect(filled == Set([0, 1, 6, 7].map { ObjectIdentifier(jobs[$0]) }))
        #expect(room.makeRoom(since: now, countMax: 20, roomMax: 4).count == 4)
    }

    @Test func theLastOneOfAnOwnerIsNotSentOutForAnothersQueue() {
        var room = ReplicationRoom()
        let jobs = (0..<10).map { _ in Job() }
        for (place, job) in jobs.enumerated() { room.join(ObjectIdentifier(job), owner: place == 9 ? "b" : "a") }
        #expect(room.fill(roomMax: 2, now: now).contains(ObjectIdentifier(jobs[9])))
        #expect(room.makeRoom(since: now, countMax: 20, roomMax: 2) == [ObjectIdentifier(jobs[0])])
        let withdrawn = (0..<2).map { _ in room.withdraw(ObjectIdentifier(jobs[5]), owner: "a") }
        #expect(withdrawn == [true, false])
    }
}
