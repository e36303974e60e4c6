//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitThreads

/// Gathers which databases were written to, for the catalogue's journal, and wakes those who wait for it.
///
/// A write to a database that is marked dirty already leaves its name here, in memory; names go to the journal together,
/// once in `updatesJournalSeconds`. After a crash every dirty database is taken for updated, and one that becomes clean
/// before its turn is recorded with that mark, so none is missed.
final class DatabaseJournal: Sendable {
    private struct State {
        var names: Set<String> = []
        var version: Int64 = 0
    }

    /// Told the name of a database after each commit, on the thread of its writer.
    typealias Observer = @Sendable (_ name: String) -> Void

    private let observers = Mutex<[Observer]>([])
    private let state = Mutex(State())
    private let room = WaitingRoom(at: 0)

    /// Grows with each entry.
    var version: Int64 { room.number }

    /// Takes note of a write.
    ///
    /// - Returns: Whether it is the first since the names were taken, so that somebody must take them in a while.
    func add(_ name: String) -> Bool {
        for observer in observers.withLock({ $0 }) { observer(name) }
        return state.withLock { $0.names.insert(name).inserted && $0.names.count == 1 }
    }

    /// Tells somebody of each commit from now on.
    func observe(_ observer: @escaping Observer) { observers.withLock { $0.append(observer) } }

    /// Whether the last writes of a database are not in the journal yet.
    func isUnrecorded(_ name: String) -> Bool { state.withLock { $0.names.contains(name) } }

    /// Puts names back that could not be recorded.
    func putBack(_ names: Set<String>) { state.withLock { $0.names.formUnion(names) } }

    /// The names that were gathered. To be called by the commit that records them: a mark that says that a database is clean
    /// comes after it then.
    func take() -> Set<String> {
        state.withLock { state in
            defer { state.names = [] }
            return state.names
        }
    }

    /// Wakes all: the journal has new entries.
    func publish() {
        let version = state.withLock { state in
            state.version += 1
            return state.version
        }
        for waiter in room.advance(to: version) { waiter.resume(returning: true) }
    }

    /// Waits for an entry after a version.
    ///
    /// - Returns: `false` when the task was cancelled or the manager closed instead.
    func wait(after version: Int64) async -> Bool { await room.wait(above: version) }

    /// Ends all waiting.
    func close() { room.close() }
}
