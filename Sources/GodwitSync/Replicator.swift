//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Brings the documents of one database to another, once: every leaf with its history, deletions and attachments.
///
/// A replication that was interrupted goes on where it stopped, from its checkpoints. It may run again at any time; what
/// the target has already is not sent again.
///
/// ```swift
/// let remote = RemoteEndpoint(try RemoteURL("https://example.org/trips"), credentials: .basic(user: name, password: secret))
/// let report = try await Replicator(.push, trips, with: remote).run { print("\($0.changesDone)/\($0.changesTotal)") }
/// ```
public struct Replicator: Sendable {
    /// Which way documents go, as seen from the datastore.
    public enum Direction: Sendable {
        /// From the datastore to the other side.
        case push
        /// From the other side to the datastore.
        case pull
    }

    private let source: any DatabaseEndpoint
    private let target: any DatabaseEndpoint
    private let createsTarget: Bool
    private let limits: ReplicationLimits

    /// Creates a replication between a datastore and another database.
    ///
    /// - Parameters:
    ///   - direction: Which way documents go.
    ///   - datastore: The datastore.
    ///   - other: The other side.
    ///   - createsTarget: Whether the target is made when it is not there.
    ///   - limits: The sizes of pages and batches.
    public init(
        _ direction: Direction, _ datastore: Datastore, with other: any DatabaseEndpoint, createsTarget: Bool = false,
        limits: ReplicationLimits = ReplicationLimits()
    ) {
        let local = LocalEndpoint(datastore)
        switch direction {
        case .push: self.init(from: local, to: other, createsTarget: createsTarget, limits: limits)
        case .pull: self.init(from: other, to: local, createsTarget: createsTarget, limits: limits)
        }
    }

    /// Creates a replication between any two databases.
    public init(
        from source: any DatabaseEndpoint, to target: any DatabaseEndpoint, createsTarget: Bool = false,
        limits: ReplicationLimits = ReplicationLimits()
    ) {
        self.source = source
        self.target = target
        self.createsTarget = createsTarget
        self.limits = limits
    }

    /// Runs the replication to its end.
    ///
    /// - Parameter onProgress: Told after each step.
    /// - Returns: What was done, with the documents that could not be replicated.
    /// - Throws: ``ReplicationError`` when a side fails as a whole; what was replicated until then is kept, and the next
    ///   run goes on from there. Cancelling the task does the same.
    public func run(
        onProgress: @Sendable (ReplicationProgress) -> Void = { _ in }
    ) async throws(ReplicationError) -> ReplicationReport {
        try await source.open(creating: false)
        try await target.open(creating: createsTarget)
        let id = Checkpoint.id(source: try await source.identity(), target: try await target.identity())
        var machine = ReplicationMachine(
            id: id, sessionID: UUID().uuidString.lowercased().filter { $0 != "-" }, limits: limits,
            now: { Date.now.formatted(.iso8601) })
        var event = ReplicationMachine.Event.start
        while true {
            let action = machine.handle(event)
            onProgress(machine.progress)
            if case .finish(let report) = action { return report }
            if Task.isCancelled { throw ReplicationError(.network, "the replication was cancelled") }
            event = try await perform(action, of: id)
        }
    }

    private func perform(
        _ action: ReplicationMachine.Action, of id: String
    ) async throws(ReplicationError) -> ReplicationMachine.Event {
        switch action {
        case .loadCheckpoints(let id):
            return .checkpoints(source: try await source.checkpoint(id), target: try await target.checkpoint(id))
        case .readChanges(let sequence, let limit):
            return .changes(try await source.changes(after: sequence, limit: limit))
        case .findMissing(let revisions): return .missing(try await target.missing(revisions))
        case .readRevisions(let wanted): return .documents(try await source.read(wanted))
        case .write(let documents): return .written(try await target.write(documents, replication: id))
        case .saveCheckpoints(let id, let body):
            // The target first: a checkpoint at the source alone would name documents that a restored target lacks.
            try await target.saveCheckpoint(id, body)
            try await source.saveCheckpoint(id, body)
            return .checkpointsSaved
        case .finish: preconditionFailure("the end of a replication is no step of it")
        }
    }
}
