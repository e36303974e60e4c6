//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Decides which replications run. Each running replication uses one slot, the number of slots is limited, and the
/// owners share the slots. This type only makes the decisions: it does not start or stop replications.
///
/// A free slot is assigned to the waiting owner with the fewest running replications. If several waiting owners have
/// the same number of running replications, the replication that arrived first gets the slot. An owner's fair share is
/// the number of slots divided by the number of owners with running or waiting replications. If an owner waits although
/// it has fewer running replications than its share, owners with more running replications than their share must
/// release slots.
struct ReplicationSlots {
    /// The identity of a replication.
    typealias Member = ObjectIdentifier

    private struct Running {
        let owner: ExactText
        let since: ContinuousClock.Instant
        /// Whether the replication was asked to release its slot.
        var isLeaving = false
    }

    private struct Waiting {
        let member: Member
        let arrival: Int
    }

    private var running: [Member: Running] = [:]
    private var countByOwner: [ExactText: Int] = [:]
    /// For each owner with waiting replications, these replications in the order of arrival.
    private var waiting: [ExactText: [Waiting]] = [:]
    private var arrivalCount = 0

    /// The number of waiting replications of all owners.
    var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

    /// Adds a waiting replication.
    mutating func join(_ member: Member, owner: String) {
        arrivalCount += 1
        waiting[ExactText(owner), default: []].append(Waiting(member: member, arrival: arrivalCount))
    }

    /// Removes a waiting replication.
    ///
    /// - Returns: Whether the replication was waiting.
    mutating func withdraw(_ member: Member, owner: String) -> Bool { withdraw(member, owner: ExactText(owner)) }

    private mutating func withdraw(_ member: Member, owner: ExactText) -> Bool {
        guard let index = waiting[owner]?.firstIndex(where: { $0.member == member }) else { return false }
        waiting[owner]?.remove(at: index)
        if waiting[owner]?.isEmpty == true { waiting[owner] = nil }
        return true
    }

    /// Assigns free slots to waiting replications.
    ///
    /// - Returns: The replications that got a slot.
    mutating func fill(slotsMax: Int, now: ContinuousClock.Instant) -> [Member] {
        var filled: [Member] = []
        while running.count < slotsMax, let owner = nextOwner, let firstWaiting = waiting[owner]?.first {
            _ = withdraw(firstWaiting.member, owner: owner)
            running[firstWaiting.member] = Running(owner: owner, since: now)
            countByOwner[owner, default: 0] += 1
            filled.append(firstWaiting.member)
        }
        return filled
    }

    private var nextOwner: ExactText? {
        waiting.min { left, right in
            let counts = (countByOwner[left.key] ?? 0, countByOwner[right.key] ?? 0)
            return counts.0 == counts.1 ? left.value[0].arrival < right.value[0].arrival : counts.0 < counts.1
        }?.key
    }

    /// Releases a replication's slot.
    mutating func leave(_ member: Member) {
        guard let slot = running.removeValue(forKey: member) else { return }
        let count = (countByOwner[slot.owner] ?? 1) - 1
        countByOwner[slot.owner] = count == 0 ? nil : count
    }

    /// Whether a running replication was asked to release its slot.
    func isLeaving(_ member: Member) -> Bool { running[member]?.isLeaving ?? false }

    // MARK: Releasing slots

    private func fairShare(_ slotsMax: Int) -> Int {
        max(1, slotsMax / max(1, Set(countByOwner.keys).union(waiting.keys).count))
    }

    /// Chooses the replications that must release their slots at once. This is necessary when an owner waits although
    /// it has fewer running replications than its share.
    mutating func membersToPreempt(slotsMax: Int) -> [Member] {
        let share = fairShare(slotsMax)
        let neededCount = waiting.reduce(0) { $0 + min($1.value.count, max(0, share - (countByOwner[$1.key] ?? 0))) }
        let freeCount = max(0, slotsMax - running.count) + running.values.count(where: \.isLeaving)
        guard neededCount > freeCount else { return [] }
        var staying: [ExactText: [(member: Member, since: ContinuousClock.Instant)]] = [:]
        for (member, slot) in running where !slot.isLeaving {
            staying[slot.owner, default: []].append((member, slot.since))
        }
        // For each owner, the replication that has run for the longest time is last.
        for owner in staying.keys { staying[owner]?.sort { $0.since > $1.since } }
        var leaving: [Member] = []
        while leaving.count < neededCount - freeCount,
            let owner = staying.max(by: { $0.value.count < $1.value.count })?.key,
            staying[owner]?.count ?? 0 > share, let longestRunning = staying[owner]?.popLast()
        {
            leaving.append(longestRunning.member)
            running[longestRunning.member]?.isLeaving = true
        }
        return leaving
    }

    /// Chooses running replications that must release their slots for waiting replications. Each of them started at
    /// `since` or earlier, and its owner has waiting replications or exceeds its share. The method chooses at most
    /// `countMax` replications, and at most as many as are waiting.
    mutating func membersToRotate(since: ContinuousClock.Instant, countMax: Int, slotsMax: Int) -> [Member] {
        let share = fairShare(slotsMax)
        let longest = running.filter { slot in
            !slot.value.isLeaving && slot.value.since <= since
                && (waiting[slot.value.owner] != nil || countByOwner[slot.value.owner] ?? 0 > share)
        }.sorted { $0.value.since < $1.value.since }.prefix(min(waitingCount, countMax)).map(\.key)
        for member in longest { running[member]?.isLeaving = true }
        return longest
    }
}
