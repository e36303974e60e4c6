//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
public import GodwitTransport

/// An event of a replication.
public enum ReplicationEvent: Sendable {
    /// The state changed.
    case state(ReplicationState)
    /// The progress changed.
    case progress(ReplicationProgress)
    /// A document could not be replicated.
    case failure(ReplicationFailure)
    /// A step failed and will be tried again.
    case trouble(ReplicationError)
}

/// A running replication. It is an asynchronous sequence of the replication's events, which ends together with the
/// replication.
///
/// ```swift
/// let run = replicator.start()
/// for try await event in run {
///     if case .progress(let progress) = event { print("\(progress.changesDone)/\(progress.changesTotal)") }
/// }
/// print(try await run.report().counts.documentsWritten)
/// ```
///
/// The replication is cancelled when the last reference is released. If events are not read in time, the oldest events
/// are dropped. ``progress``, ``state`` and ``report()`` are nevertheless complete. If several tasks read the events,
/// each event is delivered to only one of them.
public final class ReplicationRun: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ReplicationEvent

    private let watch: ReplicationWatch
    private let shell: ReplicationShell
    private let task: Task<ReplicationReport, any Error>
    private let events: AsyncThrowingStream<ReplicationEvent, any Error>

    /// The maximum number of unread events.
    private static let eventsMax = 256

    init(_ replicator: Replicator) {
        let (events, continuation) = AsyncThrowingStream<ReplicationEvent, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(ReplicationRun.eventsMax))
        let watch = ReplicationWatch { continuation.yield($0) }
        let shell = ReplicationShell(replicator: replicator, watch: watch)
        self.events = events
        self.watch = watch
        self.shell = shell
        task = Task(executorPreference: WorkLane.current) {
            do {
                let report = try await shell.run()
                continuation.finish()
                return report
            } catch {
                continuation.finish(throwing: error)
                throw error
            }
        }
    }

    deinit { task.cancel() }

    /// The state.
    public var state: ReplicationState { watch.state }

    /// The progress.
    public var progress: ReplicationProgress { watch.progress }

    /// Stops the replication after it has saved its checkpoints. The report says that it was stopped. If the
    /// replication has not begun yet, ``report()`` throws ``ReplicationError/Code/cancelled`` instead.
    public func stop() { shell.notify(.stop) }

    /// Cancels the replication without saving checkpoints. ``report()`` throws ``ReplicationError/Code/cancelled``.
    package func cancel() { task.cancel() }

    /// Reports that the network may be available again. Steps that wait for the network are repeated at once. A
    /// continuous replication observes changes of interfaces and addresses by itself (``Replicator/watchesNetwork``).
    public func networkChanged() { shell.notify(.networkChanged) }

    /// Waits for the end of the replication. If the waiting task is cancelled, the replication is also cancelled.
    ///
    /// - Throws: ``ReplicationError`` if one of the databases failed, or the replication was cancelled.
    public func report() async throws(ReplicationError) -> ReplicationReport {
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            throw ReplicationError(reading: error, "the replication")
        }
    }

    /// Reads the events.
    public func makeAsyncIterator() -> AsyncThrowingStream<ReplicationEvent, any Error>.Iterator {
        events.makeAsyncIterator()
    }
}

/// Stores the state and progress of a replication, and reports changes as events.
final class ReplicationWatch: Sendable {
    private struct Status {
        var state = ReplicationState.pending
        var progress = ReplicationProgress()
        /// The number of bytes of large attachments that were received or are in transfer. It decreases when a
        /// connection is lost.
        var attachmentBytes = 0
        var failuresReported = 0
        var troublesReported = 0
    }

    private let status = Mutex(Status())
    private let notify: @Sendable (ReplicationEvent) -> Void

    init(_ notify: @escaping @Sendable (ReplicationEvent) -> Void) { self.notify = notify }

    var state: ReplicationState { status.withLock { $0.state } }
    var progress: ReplicationProgress { status.withLock { $0.progress } }

    /// Updates state and progress from a machine.
    func note(_ machine: ReplicationMachine) {
        noteProgress(of: machine)
        note(machine.state)
    }

    /// Updates the progress from a machine, and reports new failures and troubles.
    func noteProgress(of machine: ReplicationMachine) {
        var progress = machine.progress
        let failures = machine.failures
        let trouble = machine.trouble
        let newEvents = status.withLock { status in
            progress.attachmentBytes = status.progress.attachmentBytes
            var newEvents: [ReplicationEvent] = []
            // A continuous replication removes from the list the failures of documents that it tries again.
            status.failuresReported = min(status.failuresReported, failures.count)
            newEvents += failures[status.failuresReported...].map { .failure($0) }
            status.failuresReported = failures.count
            if let trouble, trouble.count > status.troublesReported {
                newEvents.append(.trouble(trouble.error))
                status.troublesReported = trouble.count
            }
            if status.progress != progress { newEvents.append(.progress(progress)) }
            status.progress = progress
            return newEvents
        }
        for event in newEvents { notify(event) }
    }

    func note(_ state: ReplicationState) {
        let isNew = status.withLock { status in
            defer { status.state = state }
            return status.state != state
        }
        if isNew { notify(.state(state)) }
    }

    /// Adds a number of bytes of large attachments. The number is negative if bytes in transfer were lost with a
    /// connection.
    ///
    /// The reported total never decreases: after a loss, it remains constant until the same bytes have been transferred
    /// again.
    func note(bytes: Int) {
        let progress = status.withLock { status -> ReplicationProgress? in
            status.attachmentBytes += bytes
            guard status.attachmentBytes > status.progress.attachmentBytes else { return nil }
            status.progress.attachmentBytes = status.attachmentBytes
            return status.progress
        }
        if let progress { notify(.progress(progress)) }
    }
}
