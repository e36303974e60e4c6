//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitViews

/// The limits of functions of design documents, from CouchDB's settings of query servers.
struct FunctionRules: Sendable, Equatable {
    private static let defaults = ScriptLimits()

    /// The maximum duration of a call, in milliseconds: `os_process_timeout`.
    var callMillisecondsMax = Int(defaults.callSecondsMax * 1_000)
    /// The maximum number of processes: `os_process_limit`.
    var processesMax = defaults.workersMax
    /// The number of idle seconds after which a process is terminated: `os_process_idle_limit`.
    var idleSecondsMax = Int(defaults.workerIdleSecondsMax)

    /// Whether functions run on systems that cannot sandbox their processes: `allow_unconfined`.
    var allowsUnconfined = false

    /// Returns a copy of the given limits in which these rules replace the corresponding values. In the copy, the
    /// functions of one database may use at most half of the processes.
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
