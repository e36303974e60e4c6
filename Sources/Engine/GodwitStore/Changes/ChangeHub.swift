//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

// Ten thousand feeds may wait for the next change of one database. Each of these waiters needs only one dictionary
// entry. A commit stores its changes in memory. After the writers received their results, a thread of the pool resumes
// all waiters, and each waiter reads from memory the changes that it has not seen. A waiter that is too far behind the
// last commit reads the changes from the file, at its own pace. Therefore, the feeds need no queues, and a slow feed
// does not block other feeds.

/// Notifies the feeds that wait for the next change of one database.
final class ChangeHub: Sendable {
    private struct State {
        var current: DatabaseState
        var recent: RecentChanges
    }

    /// The waiters that a commit resumes. The caller resumes them after the writers received their results.
    struct Wake: Sendable {
        fileprivate let waiters: [SequenceWaiters.Waiter]

        func resume() {
            guard !waiters.isEmpty else { return }
            BlockingPool.shared.submit { [waiters] in for waiter in waiters { waiter.resume(returning: true) } }
        }
    }

    private let state: Mutex<State>
    private let waiters: SequenceWaiters

    init(_ current: DatabaseState) {
        state = Mutex(State(current: current, recent: RecentChanges(start: current.sequence)))
        waiters = SequenceWaiters(at: current.sequence)
    }

    /// The counters after the last commit.
    var current: DatabaseState { state.withLock { $0.current } }

    /// The number of waiting feeds.
    var waiterCount: Int { waiters.count }

    /// Whether no feed waits.
    var isQuiet: Bool { waiters.count == 0 }

    /// Whether the database was closed, which ends all feeds.
    var isClosed: Bool { waiters.isClosed }

    /// Publishes the counters and changes of a durable commit.
    func publish(_ committed: DatabaseState, changes: [RecentChange]) -> Wake {
        let count = state.withLock { state in
            invariant(committed.includes(state.current), "a commit includes all earlier commits")
            state.recent.add(changes, before: state.current.sequence, after: committed.sequence)
            defer { state.current = committed }
            return committed.sequence - state.current.sequence
        }
        WriteCount.add(Int(count))
        return Wake(waiters: waiters.advance(to: committed.sequence))
    }

    /// The changes after `sequence`, from memory; `nil` if they must be read from the file.
    func recent(after sequence: Int64, rowsMax: Int) -> [RecentChange]? {
        state.withLock { $0.recent.after(sequence, rowsMax: rowsMax) }
    }

    /// Waits until a change after `sequence` is committed.
    ///
    /// - Returns: `false` if the task was cancelled or the datastore was closed.
    func wait(after sequence: Int64) async -> Bool { await waiters.wait(above: sequence) }

    /// Ends all waiting.
    func close() { waiters.close() }
}
