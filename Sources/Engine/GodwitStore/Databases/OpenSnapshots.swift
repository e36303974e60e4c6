//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The open snapshots of a manager's databases. An open snapshot needs a connection, and prevents the write-ahead log of
/// its database from being written from its start again. Therefore, snapshots are ended when the log is too long, and
/// the number of snapshots that answers keep open is limited.
final class OpenSnapshots: Sendable {
    /// The snapshots of a database to end.
    enum Choice {
        /// Those that have reached ``StoreLimits/snapshotSecondsMax``.
        case old
        /// Those of answers that clients take slowly; see ``StoreLimits/snapshotIdleSecondsMax``.
        case idle
        /// Those of answers.
        case kept
        case all
    }

    private let snapshots = Mutex<[ObjectIdentifier: Snapshot]>([:])
    /// The number of open snapshots from which on ``keep(_:)`` refuses more.
    private let keptMax: Int
    private let idleSecondsMax: Double

    init(keptMax: Int, idleSecondsMax: Double) {
        self.keptMax = keptMax
        self.idleSecondsMax = idleSecondsMax
    }

    var count: Int { snapshots.withLock { $0.count } }

    /// Whether the connections of snapshots give up their page caches between two reads, because many are open.
    var savesMemory: Bool { count > StoreLimits.snapshotsCachedMax }

    /// Whether a database has an open snapshot.
    func isAny(of database: Database) -> Bool {
        snapshots.withLock { $0.values.contains { $0.database === database } }
    }

    func add(_ snapshot: Snapshot) { snapshots.withLock { $0[ObjectIdentifier(snapshot)] = snapshot } }

    func remove(_ snapshot: Snapshot) {
        snapshots.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(snapshot)) }
    }

    /// Adds a snapshot that an answer keeps open. If there are too many, ends the kept snapshots whose clients take their
    /// answers slowly.
    ///
    /// - Returns: Whether the snapshot was added.
    func keep(_ snapshot: Snapshot) -> Bool {
        if addIfRoom(snapshot) { return true }
        for idle in snapshots.withLock({ $0.values.filter(isIdle) }) { idle.end() }
        return addIfRoom(snapshot)
    }

    private func addIfRoom(_ snapshot: Snapshot) -> Bool {
        snapshots.withLock { snapshots in
            guard snapshots.count < keptMax else { return false }
            invariant(snapshots[ObjectIdentifier(snapshot)] == nil, "a snapshot is kept once")
            snapshots[ObjectIdentifier(snapshot)] = snapshot
            return true
        }
    }

    /// Ends snapshots of a database.
    ///
    /// - Returns: Whether no snapshot of the database is left.
    @discardableResult
    func end(_ choice: Choice, of database: Database) -> Bool {
        let own = snapshots.withLock { $0.values.filter { $0.database === database } }
        let chosen = own.filter { snapshot in
            switch choice {
            case .old: snapshot.age >= database.limits.snapshotSecondsMax
            case .idle: isIdle(snapshot)
            case .kept: snapshot.isKept
            case .all: true
            }
        }
        for snapshot in chosen { snapshot.end() }
        return chosen.count == own.count
    }

    private func isIdle(_ snapshot: Snapshot) -> Bool { snapshot.isKept && snapshot.idleSeconds >= idleSecondsMax }
}
