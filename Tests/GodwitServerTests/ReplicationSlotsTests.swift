//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitServer

/// Tests how owners share the slots for replications (issue 21, number 3).
@Suite struct ReplicationSlotsTests {
    private final class Job {}

    private let now = ContinuousClock.now

    @Test func anOwnerOfManyGivesWayAtOnce() {
        var slots = ReplicationSlots()
        let (many, other) = ((0..<700).map { _ in Job() }, Job())
        for job in many { slots.join(ObjectIdentifier(job), owner: "many") }
        let filled = slots.fill(slotsMax: 500, now: now)
        #expect(filled.count == 500)
        #expect(slots.membersToPreempt(slotsMax: 500) == [])
        slots.join(ObjectIdentifier(other), owner: "other")
        #expect(slots.fill(slotsMax: 500, now: now) == [])
        let leaving = slots.membersToPreempt(slotsMax: 500)
        #expect(leaving.count == 1 && slots.isLeaving(leaving[0]))
        #expect(slots.membersToPreempt(slotsMax: 500) == [], "one is enough")
        slots.leave(leaving[0])
        slots.join(leaving[0], owner: "many")
        #expect(slots.fill(slotsMax: 500, now: now) == [ObjectIdentifier(other)])
        #expect(slots.membersToPreempt(slotsMax: 500) == [], "who has more than the share waits")
    }

    @Test func placesGoToTheOwnerWithTheFewest() {
        var slots = ReplicationSlots()
        let jobs = (0..<9).map { _ in Job() }
        for (position, job) in jobs.enumerated() { slots.join(ObjectIdentifier(job), owner: position < 6 ? "a" : "b") }
        let filled = Set(slots.fill(slotsMax: 4, now: now))
        #expect(filled == Set([0, 1, 6, 7].map { ObjectIdentifier(jobs[$0]) }))
        #expect(slots.membersToRotate(since: now, countMax: 20, slotsMax: 4).count == 4)
    }

    @Test func ownersWithEquivalentNamesAreTwoOwners() {
        var slots = ReplicationSlots()
        let jobs = (0..<6).map { _ in Job() }
        for (position, job) in jobs.enumerated() {
            slots.join(ObjectIdentifier(job), owner: position < 5 ? "\u{E9}" : "e\u{301}")
        }
        #expect(slots.fill(slotsMax: 2, now: now) == [ObjectIdentifier(jobs[0]), ObjectIdentifier(jobs[5])])
        let isWithdrawn = slots.withdraw(ObjectIdentifier(jobs[1]), owner: "e\u{301}")
        #expect(!isWithdrawn)
    }

    @Test func theLastOneOfAnOwnerIsNotSentOutForAnothersQueue() {
        var slots = ReplicationSlots()
        let jobs = (0..<10).map { _ in Job() }
        for (position, job) in jobs.enumerated() { slots.join(ObjectIdentifier(job), owner: position == 9 ? "b" : "a") }
        #expect(slots.fill(slotsMax: 2, now: now).contains(ObjectIdentifier(jobs[9])))
        #expect(slots.membersToRotate(since: now, countMax: 20, slotsMax: 2) == [ObjectIdentifier(jobs[0])])
        let withdrawn = (0..<2).map { _ in slots.withdraw(ObjectIdentifier(jobs[5]), owner: "a") }
        #expect(withdrawn == [true, false])
    }
}
