//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Collects the names of databases that have new writes, so that the catalogue can record them in its journal. Resumes
/// the tasks that wait for new entries of the journal.
///
/// Each commit adds the name of its database here, in memory. The names are written to the journal together, once in
/// `updatesJournalSeconds`. A crash loses no update, because after a crash every dirty database is treated as updated.
/// If a database is marked clean before its name is written, the name is recorded together with the mark.
final class DatabaseJournal: Sendable {
    private struct State {
        // Exact: the names of databases are ASCII.
        var names: Set<String> = []
        var version: Int64 = 0
    }

    /// Receives the name of a database after each commit, on the thread of its writer.
    typealias Observer = @Sendable (_ name: String) -> Void

    private let observers = Mutex<[Observer]>([])
    private let state = Mutex(State())
    private let waiters = SequenceWaiters(at: 0)

    /// A number that increases each time entries are published.
    var version: Int64 { waiters.number }

    /// Adds the name of a database that has a new write, and calls the observers.
    ///
    /// - Returns: Whether the set of names was empty before. If it was, the caller must schedule the recording of the
    ///   names.
    func add(_ name: String) -> Bool {
        for observer in observers.withLock({ $0 }) { observer(name) }
        return state.withLock { $0.names.insert(name).inserted && $0.names.count == 1 }
    }

    /// Adds an observer of all later commits.
    func observe(_ observer: @escaping Observer) { observers.withLock { $0.append(observer) } }

    /// Whether the last writes of a database are not in the journal yet.
    func isUnrecorded(_ name: String) -> Bool { state.withLock { $0.names.contains(name) } }

    /// Adds back the names that could not be recorded.
    func putBack(_ names: Set<String>) { state.withLock { $0.names.formUnion(names) } }

    /// Removes and returns the collected names. Call it within the commit that records them. A clean mark that is
    /// requested after this call does not record the name of its database. Because the names are part of the running
    /// commit, they are stored before such a mark.
    func take() -> Set<String> {
        state.withLock { state in
            defer { state.names = [] }
            return state.names
        }
    }

    /// Increases the version and resumes all waiting tasks.
    func publish() {
        let version = state.withLock { state in
            state.version += 1
            return state.version
        }
        for waiter in waiters.advance(to: version) { waiter.resume(returning: true) }
    }

    /// Waits until the version is above `version`.
    ///
    /// - Returns: `false` if the task was cancelled or the manager was closed.
    func wait(after version: Int64) async -> Bool { await waiters.wait(above: version) }

    /// Ends all waiting.
    func close() { waiters.close() }
}
