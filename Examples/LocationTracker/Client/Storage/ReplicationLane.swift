//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient
public import GodwitSync

/// Replications in one direction: one at a time. One that is asked for while another runs comes after it, however often it
/// is asked for, so that what was written before the asking is always brought over.
public actor ReplicationLane {
    /// What happens on a lane.
    public enum Event: Sendable {
        /// A replication begins: it brings all that was written until now.
        case began
        /// It is further, waits, or has trouble.
        case step(ReplicationEvent)
        /// It ended.
        case ended(Result<ReplicationReport, ReplicationError>)
    }

    private let replicator: Replicator
    private let onEvent: @Sendable (Event) -> Void
    private var turn = ReplicationTurn()
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var outcome: Result<ReplicationReport, ReplicationError>?

    init(_ replicator: Replicator, onEvent: @escaping @Sendable (Event) -> Void) {
        self.replicator = replicator
        self.onEvent = onEvent
    }

    /// Asks for a replication, and does not wait for it.
    public func request() {
        guard turn.request() else { return }
        Task { await work() }
    }

    /// Waits until none runs.
    ///
    /// - Returns: How the last one ended; `nil` when none was asked for.
    @discardableResult
    public func settled() async -> Result<ReplicationReport, ReplicationError>? {
        if turn.isRunning { await withCheckedContinuation { waiting.append($0) } }
        return outcome
    }

    private func work() async {
        repeat {
            onEvent(.began)
            let outcome = await run()
            self.outcome = outcome
            onEvent(.ended(outcome))
        } while turn.end()
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    private func run() async -> Result<ReplicationReport, ReplicationError> {
        let run = replicator.start()
        // What ends the events ends the report too, which tells it.
        let events = Task { [onEvent] in for try await event in run { onEvent(.step(event)) } }
        defer { events.cancel() }
        do throws(ReplicationError) {
            let report = try await run.report()
            _ = await events.result
            return .success(report)
        } catch {
            return .failure(error)
        }
    }
}
