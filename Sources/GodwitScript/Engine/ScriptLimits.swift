//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Limits for functions of design documents.
public struct ScriptLimits: Sendable, Equatable {
    /// The maximum time of one call in seconds. CouchDB's `os_process_timeout`.
    public var callSecondsMax = 5.0

    /// The maximum memory of a process that runs functions, in bytes.
    public var memoryBytesMax = 512 << 20

    /// The maximum number of processes, at most ``workersCeiling``. They are started when they are needed.
    public var workersMax = 4

    /// The maximum of ``workersMax``.
    public static let workersCeiling = 256

    /// The maximum number of processes for one database, so that other databases do not wait for it.
    public var workersPerDatabaseMax = 2

    /// The maximum number of calls that wait for a process; further calls fail.
    public var callsWaitingMax = 1_000

    /// The maximum number of design documents that one process keeps loaded.
    public var programsPerWorkerMax = 32

    /// The idle time in seconds after which a process is ended.
    public var workerIdleSecondsMax = 60.0

    /// The maximum size of the arguments or the answer of one call, in bytes.
    public var messageBytesMax = 64 << 20

    /// The maximum size of the log of one call in bytes; a longer log is truncated.
    public var logBytesMax = 65_536

    /// The time in seconds that is added to a call's time limit before its process is killed.
    public var graceSeconds = 1.0

    /// Whether functions may run in a process that the system cannot confine. Set it only when all functions are
    /// trusted.
    public var allowsUnconfined = false

    /// The default limits.
    public init() {}
}
