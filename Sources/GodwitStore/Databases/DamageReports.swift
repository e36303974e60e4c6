//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// Counts the damage that reads and writes find in the databases of a manager, and reports it.
///
/// Each damaged document or attachment is reported once, and at most `damageReportsPerMinuteMax` of them in a minute, so
/// that a feed over a ruined file does not fill a log.
package final class DamageReports: Sendable {
    /// What was found damaged.
    package struct Report: Hashable, Sendable {
        package let database: String
        /// What is damaged, in words; never a document's content.
        package let finding: String
    }

    fileprivate struct State {
        var count = 0
        var reported: Set<Report> = []
        var minute = Moment.now
        var reportedInMinute = 0
        var observer: (@Sendable (Report) -> Void)?
    }

    private let state = Mutex(State())

    /// How often damage was found since the manager was made.
    package var count: Int { state.withLock { $0.count } }

    /// Sets who is told of damage, in the place of whom was set before.
    package func observe(_ observer: @escaping @Sendable (Report) -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Takes damage that was found.
    func add(_ report: Report) {
        let observer = state.withLock { state -> (@Sendable (Report) -> Void)? in
            state.count += 1
            return state.isDue(report) ? state.observer : nil
        }
        observer?(report)
    }
}

extension DamageReports.State {
    /// Whether a report is to be told now; it is remembered then.
    fileprivate mutating func isDue(_ report: DamageReports.Report) -> Bool {
        if minute.secondsAgo >= 60 { (minute, reportedInMinute) = (.now, 0) }
        guard reportedInMinute < StoreLimits.damageReportsPerMinuteMax, !reported.contains(report) else { return false }
        if reported.count >= StoreLimits.damageReportsRememberedMax { reported.removeAll() }
        reported.insert(report)
        reportedInMinute += 1
        return true
    }
}
