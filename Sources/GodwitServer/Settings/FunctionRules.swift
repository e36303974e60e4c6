//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitScript

/// What functions of design documents may take, as CouchDB's settings of query servers say.
struct FunctionRules: Sendable, Equatable {
    private static let defaults = ScriptLimits()

    /// How long one call may run, in milliseconds: `os_process_timeout`.
    var callMillisecondsMax = Int(defaults.callSecondsMax * 1_000)
    /// Processes at a time: `os_process_limit`.
    var processesMax = defaults.workersMax
    /// After how many seconds without work a process is ended: `os_process_idle_limit`.
    var idleSecondsMax = Int(defaults.workerIdleSecondsMax)

    /// Whether functions run where the system does not confine their processes: `allow_unconfined`.
    var allowsUnconfined = false

    /// The limits that they come to, beside those that are no setting. One database has at most half of the processes.
    func limits(_ others: ScriptLimits) -> ScriptLimits {
        var limits = others
        limits.callSecondsMax = Double(callMillisecondsMax) / 1_000
        limits.workersMax = processesMax
        limits.workersPerDatabaseMax = max(processesMax / 2, 1)
        limits.allowsUnconfined = allowsUnconfined
        limits.workerIdleSecondsMax = Double(idleSecondsMax)
        return limits
    }
}
