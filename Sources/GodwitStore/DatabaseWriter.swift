//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// The one connection of a database that writes, and the state that goes with it.
///
/// Used by one thread at a time: the queue of writes sees to it; the mutex proves it.
final class DatabaseWriter: Sendable {
    private struct Held {
        let connection: SQLiteConnection
        var state: DatabaseState
        var tables: Set<FileFormat.RareTable>
    }

    private let held: Mutex<Held?>
    private let limits: StoreLimits
    private let hub: ChangeHub
    private let path: String

    init(
        connection: SQLiteConnection, state: DatabaseState, tables: Set<FileFormat.RareTable>, hub: ChangeHub,
        limits: StoreLimits, path: String
    ) {
        held = Mutex(Held(connection: connection, state: state, tables: tables))
        self.hub = hub
        self.limits = limits
        self.path = path
    }

    /// Runs jobs in one transaction and answers each after the commit.
    func commit(_ jobs: [WriteQueue.Job]) {
        var outcomes = [(any Error)?](repeating: nil, count: jobs.count)
        do {
            let state = try held.withLock { held throws -> DatabaseState in
                guard var current = held else { throw StoreError.closed }
                defer { held = current }
                return try run(jobs, in: &current, outcomes: &outcomes)
            }
            hub.publish(state)
        } catch {
            outcomes = outcomes.map { $0 ?? StoreError(wrapping: error, subject: "writing to \(path)") }
        }
        for (job, outcome) in zip(jobs, outcomes) { job.finish(outcome) }
    }

    private func run(
        _ jobs: [WriteQueue.Job], in held: inout Held, outcomes: inout [(any Error)?]
    ) throws -> DatabaseState {
        let transaction = WriteTransaction(
            connection: held.connection, state: held.state, tables: held.tables, limits: limits)
        if jobs.count == 1 {
            try commitAlone(jobs[0], transaction)
        } else {
            try held.connection.write {
                for (place, job) in jobs.enumerated() {
                    do {
                        try transaction.nested { try job.run(transaction) }
                    } catch {
                        // A failure that ended the whole transaction is every job's.
                        guard held.connection.isInTransaction else { throw error }
                        outcomes[place] = StoreError(wrapping: error, subject: "writing to \(path)")
                    }
                }
                try writeState(transaction, before: held.state)
            }
        }
        held.state = transaction.state
        held.tables = transaction.tables
        return held.state
    }

    private func commitAlone(_ job: WriteQueue.Job, _ transaction: WriteTransaction) throws {
        let before = transaction.state
        try transaction.connection.write {
            try job.run(transaction)
            try writeState(transaction, before: before)
        }
    }

    private func writeState(_ transaction: WriteTransaction, before: DatabaseState) throws {
        if transaction.state != before { try transaction.state.write(to: transaction.connection) }
    }

    /// Closes the connection, which moves the log into the file.
    func close() {
        held.withLock { held in
            held?.connection.close()
            held = nil
        }
    }
}
