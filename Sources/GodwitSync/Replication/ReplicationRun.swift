//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient
import GodwitStore
import GodwitThreads

/// Something that happened in a replication.
public enum ReplicationEvent: Sendable {
    /// It is doing something else now.
    case state(ReplicationState)
    /// It is further.
    case progress(ReplicationProgress)
    /// A document was not replicated.
    case failure(ReplicationFailure)
    /// A step failed, and will be tried again.
    case trouble(ReplicationError)
}

/// A replication that runs: an asynchronous sequence of what happens in it, until it ends.
///
/// ```swift
/// let run = replicator.start()
/// for try await event in run {
///     if case .progress(let progress) = event { print("\(progress.changesDone)/\(progress.changesTotal)") }
/// }
/// print(try await run.report().counts.documentsWritten)
/// ```
///
/// It is cancelled when nobody holds it any more. Events that nobody reads in time are dropped, the newest kept:
/// ``progress``, ``state`` and ``report()`` have it all. One reader sees each event.
public final class ReplicationRun: AsyncSequence, Sendable {
    /// Something that happened.
    public typealias Element = ReplicationEvent

    private let watch: ReplicationWatch
    private let shell: ReplicationShell
    private let task: Task<ReplicationReport, any Error>
    private let events: AsyncThrowingStream<ReplicationEvent, any Error>

    /// Events that wait for a reader.
    private static let eventsMax = 256

    init(_ replicator: Replicator) {
        let (events, event) = AsyncThrowingStream<ReplicationEvent, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(ReplicationRun.eventsMax))
        let watch = ReplicationWatch { event.yield($0) }
        let shell = ReplicationShell(replicator: replicator, watch: watch)
        self.events = events
        self.watch = watch
        self.shell = shell
        task = Task(executorPreference: WorkLane.current) {
            do {
                let report = try await shell.run()
                event.finish()
                return report
            } catch {
                event.finish(throwing: error)
                throw error
            }
        }
    }

    deinit { task.cancel() }

    /// What it is doing.
    public var state: ReplicationState { watch.state }

    /// How far it is.
    public var progress: ReplicationProgress { watch.progress }

    /// Ends it at once, with what is done noted at both sides. Its report says that it was stopped.
    public func stop() { shell.tell(.stop) }

    /// Ends it at once, with nothing more noted at either side. Its report throws ``ReplicationError/Code/cancelled``.
    package func cancel() { task.cancel() }

    /// Says that there may be a network again: what waits for one is tried at once. A continuous replication finds out by
    /// itself when interfaces and addresses come and go (``Replicator/watchesNetwork``).
    public func networkChanged() { shell.tell(.networkChanged) }

    /// Waits for its end. Cancelling the task that waits cancels the run.
    ///
    /// - Throws: ``ReplicationError`` when a side failed as a whole, or the run was cancelled.
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

    /// Reads what happens.
    public func makeAsyncIterator() -> AsyncThrowingStream<ReplicationEvent, any Error>.Iterator {
        events.makeAsyncIterator()
    }
}

/// Knows what a replication is doing, and tells of what changes.
final class ReplicationWatch: Sendable {
    private struct Status {
        var state = ReplicationState.pending
        var progress = ReplicationProgress()
        /// Bytes of large attachments that are there, or on their way: fewer after a cut.
        var attachmentBytes = 0
        var failuresTold = 0
        var troublesTold = 0
    }

    private let held = Mutex(Status())
    private let tell: @Sendable (ReplicationEvent) -> Void

    init(_ tell: @escaping @Sendable (ReplicationEvent) -> Void) { self.tell = tell }

    var state: ReplicationState { held.withLock { $0.state } }
    var progress: ReplicationProgress { held.withLock { $0.progress } }

    /// Takes note of how a machine stands, and of what it does.
    func note(_ machine: ReplicationMachine) {
        noteProgress(of: machine)
        note(machine.state)
    }

    /// Takes note of how a machine stands.
    func noteProgress(of machine: ReplicationMachine) {
        var progress = machine.progress
        let failures = machine.failures
        let trouble = machine.trouble
        let news = held.withLock { status in
            progress.attachmentBytes = status.progress.attachmentBytes
            var news: [ReplicationEvent] = []
            // A continuous replication forgets failures that it comes back to.
            status.failuresTold = min(status.failuresTold, failures.count)
            news += failures[status.failuresTold...].map { .failure($0) }
            status.failuresTold = failures.count
            if let trouble, trouble.count > status.troublesTold {
                news.append(.trouble(trouble.error))
                status.troublesTold = trouble.count
            }
            if status.progress != progress { news.append(.progress(progress)) }
            status.progress = progress
            return news
        }
        for event in news { tell(event) }
    }

    func note(_ state: ReplicationState) {
        let isNew = held.withLock { status in
            defer { status.state = state }
            return status.state != state
        }
        if isNew { tell(.state(state)) }
    }

    /// Takes note of bytes of large attachments; less than none when a cut took away what was on its way.
    ///
    /// What is told never goes back: it stands until the same bytes have come again.
    func note(bytes: Int) {
        let progress = held.withLock { status -> ReplicationProgress? in
            status.attachmentBytes += bytes
            guard status.attachmentBytes > status.progress.attachmentBytes else { return nil }
            status.progress.attachmentBytes = status.attachmentBytes
            return status.progress
        }
        if let progress { tell(.progress(progress)) }
    }
}
