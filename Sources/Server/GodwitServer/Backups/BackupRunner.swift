//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import Logging

/// Makes backups of all databases, both by schedule and when an administrator requests a backup. Only one backup is
/// made at a time.
final class BackupRunner: Sendable {
    /// A backup in progress.
    struct Progress: Sendable {
        let name: String
        let started = WallClock.seconds
        var done = 0
        var total = 0
    }

    private struct State {
        var progress: Progress?
        var task: Task<Void, Never>?
        /// The time and the reason of the failure of the last backup. `nil` if the last backup was made or cancelled. A
        /// backup that lacks only some databases has not failed.
        var failure: (time: Int, reason: String)?
    }

    /// The number of seconds between two checks of the schedule.
    private static let lookSeconds = 30
    /// The number of seconds to wait after a failed backup.
    private static let retrySeconds = 600

    let sets: BackupSets
    private let server: ServerContext
    private let state = Mutex(State())

    init(sets: BackupSets, server: ServerContext) {
        self.sets = sets
        self.server = server
    }

    private var rules: BackupRules { server.settings.options.backups }

    /// The backup in progress; `nil` when there is none.
    var progress: Progress? { state.withLock(\.progress) }

    /// The time and the reason if the last backup failed as a whole.
    var failure: (time: Int, reason: String)? { state.withLock(\.failure) }

    // MARK: Schedule

    /// Removes unfinished backups of an earlier process, and makes backups by schedule until the task is cancelled.
    /// After the cancellation, the backup in progress is also cancelled.
    func run() async {
        do {
            try await server.manager.removeUnfinished(sets)
        } catch {
            server.logger.warning("an unfinished backup could not be removed", metadata: ["cause": "\(error)"])
        }
        while !Task.isCancelled {
            if let next = nextTime, next <= WallClock.seconds { _ = begin() }
            try? await Task.sleep(for: .seconds(BackupRunner.lookSeconds))
        }
        await cancel()
    }

    /// The time of the next backup in seconds since 1970; `nil` without a schedule. The time is in the past if a backup
    /// is due.
    var nextTime: Int? {
        let rules = rules
        guard rules.hours > 0 else { return nil }
        let newest = sets.names.first.flatMap(BackupRunner.time)
        let regular = newest.map { $0 + rules.hours * 3_600 } ?? 0
        return max(regular, failure.map { $0.time + BackupRunner.retrySeconds } ?? 0)
    }

    // MARK: One backup

    /// Begins a backup, which continues after the call.
    ///
    /// - Returns: The name of the new backup; `nil` if a backup is already in progress.
    func begin() -> String? {
        let name = BackupRunner.name(at: WallClock.text)
        return state.withLock { state in
            guard state.progress == nil else { return nil }
            state.progress = Progress(name: name)
            state.task = Task { await self.make(name) }
            return name
        }
    }

    /// Cancels the backup in progress and waits for its end. Does nothing when none is in progress.
    func cancel() async {
        let task = state.withLock(\.task)
        task?.cancel()
        await task?.value
    }

    private func make(_ name: String) async {
        let failure: String?
        do {
            let summary = try await server.activities.during(BackupRunner.taskKind, of: "all databases") { update in
                try await server.manager.backUpAll(to: sets, named: name) { done, total in
                    self.state.withLock { state in
                        state.progress?.done = done
                        state.progress?.total = total
                    }
                    update(["changes_done": .integer(Int64(done)), "total_changes": .integer(Int64(total))])
                }
            }
            log(summary, name)
            await removeOld()
            failure = nil
        } catch  where Task.isCancelled {
            failure = nil
        } catch {
            failure = (error as? StoreError)?.message ?? "\(error)"
            server.logger.error("a backup failed", metadata: ["backup": "\(name)", "cause": "\(error)"])
        }
        state.withLock { state in
            state.failure = failure.map { (WallClock.seconds, $0) }
            state.progress = nil
            state.task = nil
        }
    }

    private static let taskKind = "backup"

    private func log(_ summary: BackupSummary, _ name: String) {
        let metadata: Logger.Metadata = [
            "backup": "\(name)", "databases": "\(summary.databases)", "unchanged": "\(summary.unchanged)",
            "failures": "\(summary.failures)",
        ]
        if summary.failures == 0 {
            server.logger.notice("a backup is complete", metadata: metadata)
        } else {
            server.logger.error("a backup is complete except for some databases", metadata: metadata)
        }
    }

    /// Removes old backups. A backup is old under two conditions: at least `keptCount` newer complete backups exist,
    /// and the backup is older than the last `keptCount` intervals of the schedule. A backup is complete if it contains
    /// all databases.
    private func removeOld() async {
        let rules = rules
        let oldest = WallClock.seconds - rules.keptCount * rules.hours * 3_600
        var completeCount = 0
        for name in sets.names {
            if completeCount >= rules.keptCount {
                if BackupRunner.time(of: name).map({ $0 <= oldest }) == true { await remove(name) }
            } else if let summary = try? await server.manager.summary(of: sets.path(of: name)), summary.failures == 0 {
                completeCount += 1
            }
        }
    }

    private func remove(_ name: String) async {
        do {
            try await BlockingPool.shared.run { [sets] in try sets.remove(name) }
        } catch {
            server.logger.warning(
                "an old backup could not be removed", metadata: ["backup": "\(name)", "cause": "\(error)"])
        }
    }

    // MARK: Names

    /// Returns the name of a backup. It is the time of the backup without `-` and `:`.
    private static func name(at time: String) -> String { time.filter { $0 != "-" && $0 != ":" } }

    /// The time in the name of a backup, in seconds since 1970; `nil` if the name contains no time.
    static func time(of name: String) -> Int? {
        var text = name
        for (offset, separator) in [(4, "-"), (7, "-"), (13, ":"), (16, ":")] as [(Int, Character)] {
            guard text.count > offset else { return nil }
            text.insert(separator, at: text.index(text.startIndex, offsetBy: offset))
        }
        return WallClock.seconds(of: text)
    }
}
