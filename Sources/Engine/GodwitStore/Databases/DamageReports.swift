//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Counts and reports the damage that reads and writes find in the databases of a manager.
///
/// A feed over a damaged file could fill a log with reports. Therefore, a finding is not reported again while it is
/// among the last `damageReportsRememberedMax` reports, and at most `damageReportsPerMinuteMax` reports are sent in one
/// minute. If a finding is not reported because of this second limit, it is reported when the damage is found again in
/// a later minute.
package final class DamageReports: Sendable {
    /// One finding of damage.
    package struct Report: Hashable, Sendable {
        /// The name of the database.
        package let database: String
        /// A description of the damage. It never contains a document's content.
        package let finding: String
    }

    fileprivate struct State {
        var count = 0
        var sentReports: Set<Report> = []
        var minuteStart = Moment.now
        var sentInMinute = 0
        var observer: (@Sendable (Report) -> Void)?
    }

    private let state = Mutex(State())

    /// The number of times that damage was found since the manager was created.
    package var count: Int { state.withLock { $0.count } }

    /// Sets the observer that receives reports. Replaces the previous observer. Earlier reports are not repeated.
    package func observe(_ observer: @escaping @Sendable (Report) -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Counts a finding. Reports it if no equal report is remembered and the limit of reports in one minute is not
    /// reached.
    func add(_ report: Report) {
        let observer = state.withLock { state -> (@Sendable (Report) -> Void)? in
            state.count += 1
            return state.isDue(report) ? state.observer : nil
        }
        observer?(report)
    }
}

extension DamageReports.State {
    /// Returns whether a report must be sent now. If it must, records the report as sent.
    fileprivate mutating func isDue(_ report: DamageReports.Report) -> Bool {
        if minuteStart.secondsAgo >= 60 { (minuteStart, sentInMinute) = (.now, 0) }
        guard sentInMinute < StoreLimits.damageReportsPerMinuteMax, !sentReports.contains(report) else { return false }
        if sentReports.count >= StoreLimits.damageReportsRememberedMax { sentReports.removeAll() }
        sentReports.insert(report)
        sentInMinute += 1
        return true
    }
}
