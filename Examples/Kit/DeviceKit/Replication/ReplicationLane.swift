//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitSync
public import GodwitTransport

/// Runs replications in one direction, one at a time. If one or more requests arrive during a replication, exactly one
/// more replication follows. Therefore, everything that was written before a request is always replicated.
public actor ReplicationLane {
    /// An event of a lane.
    public enum Event: Sendable {
        /// A replication starts. It includes all writes until now.
        case began
        /// An event of the replication.
        case step(ReplicationEvent)
        /// The replication ended.
        case ended(Result<ReplicationReport, ReplicationError>)
    }

    private let replicator: Replicator
    private let onEvent: @Sendable (Event) -> Void
    private var turn = ReplicationTurn()
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var outcome: Result<ReplicationReport, ReplicationError>?

    /// Creates a lane, which runs nothing yet.
    ///
    /// - Parameters:
    ///   - replicator: The replication.
    ///   - onEvent: A closure that is called for each event, in the order of the events.
    public init(_ replicator: Replicator, onEvent: @escaping @Sendable (Event) -> Void) {
        self.replicator = replicator
        self.onEvent = onEvent
    }

    /// Requests a replication, and does not wait for it.
    public func request() {
        guard turn.request() else { return }
        Task { await work() }
    }

    /// Waits until no replication is running.
    ///
    /// - Returns: The result of the last replication; `nil` if none was requested yet.
    @discardableResult
    public func settled() async -> Result<ReplicationReport, ReplicationError>? {
        if turn.isRunning { await withCheckedContinuation { waiters.append($0) } }
        return outcome
    }

    private func work() async {
        repeat {
            onEvent(.began)
            let outcome = await run()
            self.outcome = outcome
            onEvent(.ended(outcome))
        } while turn.end()
        for continuation in waiters { continuation.resume() }
        waiters = []
    }

    private func run() async -> Result<ReplicationReport, ReplicationError> {
        let run = replicator.start()
        // This task may ignore an error that ends the events, because `report()` throws the same error.
        let events = Task { [onEvent] in for try await event in run { onEvent(.step(event)) } }
        let outcome: Result<ReplicationReport, ReplicationError>
        do throws(ReplicationError) {
            outcome = .success(try await run.report())
        } catch {
            outcome = .failure(error)
        }
        // This wait ensures that the last step is reported before the end.
        _ = await events.result
        return outcome
    }
}
