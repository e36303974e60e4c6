//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import Logging

/// Checks all databases of the server or of a backup, as `godwit doctor` does. One check is made at a time.
final class CheckRunner: Sendable {
    /// The state and the findings of a check.
    struct Report: Sendable {
        /// The name of the backup; `nil` for the server's databases.
        let backup: String?
        let started = WallClock.seconds
        /// The time at which the check ended; `nil` while it is in progress.
        var ended: Int?
        var done = 0
        var total = 0
        /// The number of databases with faults. Modules have their own parts of the data directory. Each of these parts
        /// is counted as a database.
        var faultyCount = 0
        /// The faults of the first ``faultyMax`` of these databases.
        var faults: [(database: String, faults: [String])] = []
        /// The reason why the check ended before all databases were checked; `nil` if all databases were checked.
        var failure: String?

        /// The maximum number of databases for which a report contains the faults.
        static let faultyMax = 100
        /// The maximum number of faults of a database in a report.
        static let faultsMax = 20

        mutating func add(_ database: String, _ found: [String]) {
            done += 1
            guard !found.isEmpty else { return }
            faultyCount += 1
            guard faults.count < Report.faultyMax else { return }
            faults.append((database, Array(found.prefix(Report.faultsMax))))
        }
    }

    private struct State {
        var report: Report?
        var task: Task<Void, Never>?
        /// Interrupts the statements of the check when it is cancelled.
        var budget: WorkBudget?
    }

    private let server: ServerContext
    private let state = Mutex(State())

    init(server: ServerContext) { self.server = server }

    /// The report of the check in progress, or of the last check since the server started; `nil` when there was no
    /// check.
    var report: Report? { state.withLock(\.report) }

    /// Begins a check.
    ///
    /// - Parameters:
    ///   - backup: The name of a backup; `nil` for the server's databases.
    ///   - path: The path of the backup.
    /// - Returns: Whether the check began; `false` if another check is in progress.
    func begin(backup: String?, at path: String?) -> Bool {
        state.withLock { state in
            guard state.task == nil else { return false }
            state.report = Report(backup: backup)
            let budget = WorkBudget(.cancellationOnly)
            state.budget = budget
            state.task = Task { await WorkBudget.$current.withValue(budget) { await self.check(path) } }
            return true
        }
    }

    /// Cancels the check in progress and waits for its end. Does nothing when none is in progress.
    func cancel() async {
        let (task, budget) = state.withLock { ($0.task, $0.budget) }
        task?.cancel()
        budget?.cancel()
        await task?.value
    }

    private func check(_ path: String?) async {
        var failure: String?
        do {
            try await server.activities.during(CheckRunner.taskKind, of: path == nil ? "all databases" : "a backup") {
                update in
                let note: @Sendable (String, [String], Int) -> Void = { database, faults, total in
                    let done = self.state.withLock { state in
                        state.report?.total = total
                        state.report?.add(database, faults)
                        return state.report?.done ?? 0
                    }
                    update(["changes_done": .integer(Int64(done)), "total_changes": .integer(Int64(total))])
                }
                if let path { try await checkBackup(path, note) } else { try await checkDatabases(note) }
            }
        } catch  where Task.isCancelled {
            failure = "The check was cancelled."
        } catch {
            failure = (error as? StoreError)?.message ?? "\(error)"
        }
        finish(failure)
    }

    private static let taskKind = "check"

    private func finish(_ failure: String?) {
        let report = state.withLock { state in
            state.report?.ended = WallClock.seconds
            state.report?.failure = failure
            (state.task, state.budget) = (nil, nil)
            return state.report
        }
        guard let report, report.faultyCount > 0 else { return }
        server.logger.error(
            "a check found damaged databases",
            metadata: ["databases": "\(report.faultyCount)", "first": "\(report.faults.first?.database ?? "")"])
    }

    private func checkDatabases(_ note: (String, [String], Int) -> Void) async throws {
        let names = try await server.manager.names()
        for name in names {
            let faults = await server.manager.check(databaseNamed: name).faults.map(\.description)
            // If the check was cancelled, the findings about this database are incomplete and are not reported.
            try Task.checkCancellation()
            note(name, faults, names.count)
        }
        for part in server.manager.includedParts {
            let faults = try await part.findFaults().map(\.description)
            try Task.checkCancellation()
            note(part.folderName, faults, names.count)
        }
    }

    private func checkBackup(_ path: String, _ note: (String, [String], Int) -> Void) async throws {
        let total = try await server.manager.summary(of: path).databases
        var nextName = ""
        while true {
            let entries = try await server.manager.entries(of: path, from: nextName, rowsMax: CheckRunner.entriesMax)
            for entry in entries where entry.hasCopy {
                let faults = await faults(of: entry, in: path)
                try Task.checkCancellation()
                note(entry.name, faults, total)
            }
            guard entries.count == CheckRunner.entriesMax, let last = entries.last else { break }
            nextName = last.name + "\0"
        }
        for part in server.manager.includedParts {
            let faults = await faults(of: part, in: path)
            try Task.checkCancellation()
            note(part.folderName, faults, total)
        }
    }

    private func faults(of entry: BackupEntry, in path: String) async -> [String] {
        do {
            return try await server.manager.check(entry, ofSet: path).map(\.description)
        } catch {
            return [error.message]
        }
    }

    private func faults(of part: any BackupPart, in path: String) async -> [String] {
        do {
            return try await part.findFaults(inBackup: "\(path)/\(part.folderName)").map(\.description)
        } catch {
            return [(error as? StoreError)?.message ?? "\(error)"]
        }
    }

    private static let entriesMax = 1_000
}
