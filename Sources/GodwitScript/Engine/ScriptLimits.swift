//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The named limits of functions of design documents.
public struct ScriptLimits: Sendable, Equatable {
    /// How long one call may run, in seconds. CouchDB's `os_process_timeout`.
    public var callSecondsMax = 5.0

    /// What a process that runs functions may use, in bytes of memory.
    public var memoryBytesMax = 512 << 20

    /// Processes at a time, at most ``workersCeiling``. They are started when they are needed.
    public var workersMax = 4

    /// More processes than this are never started.
    public static let workersCeiling = 256

    /// Processes that one database may have at a time, so that others have one left.
    public var workersPerDatabaseMax = 2

    /// Calls that wait for a process before a further one is refused.
    public var callsWaitingMax = 1_000

    /// Design documents that one process keeps ready.
    public var programsPerWorkerMax = 32

    /// Seconds after which a process that has nothing to do is ended.
    public var workerIdleSecondsMax = 60.0

    /// Bytes that one call may be given, or may give.
    public var messageBytesMax = 64 << 20

    /// Bytes of its log that one call may write; what is longer is cut.
    public var logBytesMax = 65_536

    /// What is added to a call's time before its process is ended from outside, in seconds.
    public var graceSeconds = 1.0

    /// Whether functions run in a process that the system does not confine. Only for functions that are all trusted.
    public var allowsUnconfined = false

    /// The default limits.
    public init() {}
}
