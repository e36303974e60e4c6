//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitThreads

// Ten thousand feeds of one database may wait for its next change. A waiter is one dictionary entry while it waits. A
// commit hands its changes over in memory and wakes all waiters from a thread of the pool, after the writers were answered;
// each takes what it has not seen. One that was away too long reads from the file, at its own pace, so that nothing is
// queued for anybody and a slow one holds nobody up.

/// Wakes those who wait for the next change of one database.
final class ChangeHub: Sendable {
    private struct State {
        var current: DatabaseState
        var recent: RecentChanges
        var snapshots: [ObjectIdentifier: Snapshot] = [:]
    }

    /// Waiters that a commit woke, to be resumed once the writers were answered.
    struct Wake: Sendable {
        fileprivate let waiters: [WaitingRoom.Waiter]

        func resume() {
            guard !waiters.isEmpty else { return }
            BlockingPool.shared.submit { [waiters] in for waiter in waiters { waiter.resume(returning: true) } }
        }
    }

    private let state: Mutex<State>
    private let room: WaitingRoom

    init(_ current: DatabaseState) {
        state = Mutex(State(current: current, recent: RecentChanges(start: current.sequence)))
        room = WaitingRoom(at: current.sequence)
    }

    /// The counters as of the last commit.
    var current: DatabaseState { state.withLock { $0.current } }

    /// How many wait.
    var waiterCount: Int { room.count }

    /// Whether nobody waits or looks at a former state.
    var isQuiet: Bool { room.count == 0 && state.withLock { $0.snapshots.isEmpty } }

    /// Whether the database was closed, which ends all feeds.
    var isClosed: Bool { room.isClosed }

    /// Publishes the counters of a commit that is durable.
    func publish(_ committed: DatabaseState, changes: [RecentChange]) -> Wake {
        state.withLock { state in
            state.recent.add(changes, before: state.current.sequence, after: committed.sequence)
            state.current = committed
        }
        return Wake(waiters: room.advance(to: committed.sequence))
    }

    /// The changes after a number, from memory; `nil` when they must be read from the file.
    func recent(after sequence: Int64, rowsMax: Int) -> [RecentChange]? {
        state.withLock { $0.recent.after(sequence, rowsMax: rowsMax) }
    }

    /// Waits until there is a change after `sequence`.
    ///
    /// - Returns: `false` when the task was cancelled or the datastore closed instead.
    func wait(after sequence: Int64) async -> Bool { await room.wait(above: sequence) }

    /// Ends all waiting.
    func close() { room.close() }

    // MARK: Snapshots, which keep the log from beginning anew

    func add(_ snapshot: Snapshot) { state.withLock { $0.snapshots[ObjectIdentifier(snapshot)] = snapshot } }

    func remove(_ snapshot: Snapshot) {
        state.withLock { _ = $0.snapshots.removeValue(forKey: ObjectIdentifier(snapshot)) }
    }

    /// Ends the open snapshots: the log has grown too long.
    func expireSnapshots() {
        for snapshot in state.withLock({ Array($0.snapshots.values) }) { snapshot.expire() }
    }
}
