//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Limits for functions of design documents. An engine in this process uses only ``callSecondsMax`` and
/// ``programsPerWorkerMax``.
public struct ScriptLimits: Sendable, Equatable {
    /// The maximum processor time of one call in seconds (CouchDB's `os_process_timeout`). In a worker process, the
    /// elapsed time is also limited, to the sum of this time and ``graceSeconds``. When a function sends a request to
    /// the server, for example for the next row of a list, the elapsed time is counted from 0 again.
    public var callSecondsMax = 5.0

    /// The maximum memory of a process that runs functions, in bytes. Only Linux enforces it.
    public var memoryBytesMax = 512 << 20

    /// The maximum number of processes. It must be at most ``workersCeiling``. Processes are started when they are
    /// needed. While a running function waits for the server, the server may have to run another function. In this
    /// case, one further process may be started.
    public var workersMax = 4

    /// The greatest value of ``workersMax``. Greater values are not allowed, but this is not checked.
    public static let workersCeiling = 256

    /// The maximum number of processes for one database. Because of this limit, the functions of one database cannot
    /// use all processes.
    public var workersPerDatabaseMax = 2

    /// The maximum number of calls that wait for a process; further calls fail with ``ScriptError/Code/busy``.
    public var callsWaitingMax = 1_000

    /// The maximum number of design documents that are loaded in one process.
    public var programsPerWorkerMax = 32

    /// The idle time in seconds after which a process is ended. The server looks for idle processes at intervals of the
    /// same length, so a process may be idle for up to twice this time.
    public var workerIdleSecondsMax = 60.0

    /// The maximum size of a message to or from a process, in bytes. A message contains all arguments of a call, or an
    /// answer, or a design document.
    public var messageBytesMax = 64 << 20

    /// The maximum size of the log of one call in bytes; a longer log is truncated.
    public var logBytesMax = 65_536

    /// If a call has not ended this number of seconds after its time limit, its process is killed.
    public var graceSeconds = 1.0

    /// Whether functions may run in a process that the system cannot confine. Set it only when all functions are
    /// trusted.
    public var allowsUnconfined = false

    /// The default limits.
    public init() {}
}
