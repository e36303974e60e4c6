//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
import GodwitJSON
public import GodwitStore
public import GodwitTransport

/// Replicates the documents of one database to another database. Every leaf is replicated with its history and its
/// attachments, even if the leaf is a deletion.
///
/// A replication runs once or continuously. An interrupted replication continues from its checkpoints. Documents that
/// the target has are not sent again. A replicator is a value, so it can run any number of times.
///
/// ```swift
/// let remote = try RemoteEndpoint.couchDB(
///     "https://example.org/trips", credentials: .session(user: name, password: secret))
/// let report = try await Replicator(.push, trips, with: remote).run {
///     print("\($0.changesDone)/\($0.changesTotal)")
/// }
///
/// var live = Replicator(.pull, trips, with: remote)
/// live.isContinuous = true
/// for try await event in live.start() { … }
/// ```
public struct Replicator: Sendable {
    /// The direction of a replication, as seen from the datastore.
    public enum Direction: Sendable {
        /// From the datastore to the other database.
        case push
        /// From the other database to the datastore.
        case pull
    }

    let source: any DatabaseEndpoint
    let target: any DatabaseEndpoint
    let limits: ReplicationLimits
    /// The datastore to which a pull writes. The value is `nil` for a push, and for a replicator that was created
    /// without a direction.
    private(set) var pulled: Datastore?

    /// Whether the target is created if it does not exist.
    public var createsTarget = false

    /// Whether the replication waits for further changes when all changes are replicated. A continuous replication
    /// repeats a step without end if the step fails because of the network or the server.
    public var isContinuous = false

    /// Whether a change of the device's network ends the wait of a continuous replication after a failure, as
    /// ``ReplicationRun/networkChanged()`` does. The default is `true`. This property has no effect on a system that
    /// does not report changes of the network.
    public var watchesNetwork = true

    /// The documents that are replicated.
    public var selection = ReplicationSelection()

    /// The action of a pull for documents of the datastore that no longer match the selector.
    public enum Unmatched: Sendable {
        /// The document remains in the state in which it last matched.
        case keep
        /// The document is purged when all changes are replicated. A document with local changes that the source does
        /// not have is not purged.
        case purge
    }

    /// The action of a pull for documents of the datastore that no longer match the selector. The default is
    /// ``Unmatched/keep``. A deleted document usually does not match, because its tombstone has no members. This
    /// property applies only to a pull that has a selector and was created for a datastore with ``Direction/pull``.
    public var onUnmatched = Unmatched.keep

    /// The resolution of conflicts that a pull creates. Conflicts are resolved at the end of a run, and when a
    /// continuous replication waits for changes. By default, conflicts are not resolved. This property applies only to
    /// a replication that was created for a datastore with ``Direction/pull``.
    public var resolution: PullResolution?

    /// The advice to the user in the error that is thrown if the target does not exist.
    package var missingTargetAdvice = "It is the target: create it first, or let the replication create it."

    /// The memory that the replication shares with other replications, or `nil` if only its own limits apply.
    package var memory: ReplicationMemory?

    /// The owner whose share of ``memory`` the replication uses.
    package var memoryOwner = ""

    /// Whether checkpoints are saved in both databases. Without checkpoints, each run begins at
    /// ``ReplicationSelection/since``.
    package var keepsCheckpoints = true

    /// The maximum length of attachments that are copied, in bytes. By default, all attachments are copied. Longer
    /// attachments remain at the source; ``GodwitStore/Datastore/fetch(_:of:at:from:limits:onProgress:)`` fetches one
    /// of these attachments later.
    ///
    /// This limit applies only if the target is a datastore. A later run does not copy the attachments that an earlier
    /// run did not copy.
    public var attachmentBytesMax: Int?

    /// The maximum length of attachments that are copied to the target of this replication, in bytes.
    var carriedBytesMax: Int { target.keepsAbsentAttachments ? max(0, attachmentBytesMax ?? .max) : .max }

    /// Creates a replication between a datastore and another database.
    ///
    /// - Parameters:
    ///   - direction: The direction, as seen from the datastore.
    ///   - datastore: The datastore.
    ///   - other: The other database.
    ///   - createsTarget: Whether the target is created if it does not exist.
    ///   - selection: The documents that are replicated. By default, all documents are replicated.
    ///   - limits: The limits of the replication.
    public init(
        _ direction: Direction, _ datastore: Datastore, with other: some DatabaseEndpoint, createsTarget: Bool = false,
        selection: ReplicationSelection = ReplicationSelection(), limits: ReplicationLimits = ReplicationLimits()
    ) {
        let local = LocalEndpoint(datastore, limits: limits)
        switch direction {
        case .push: self.init(from: local, to: other, createsTarget: createsTarget, limits: limits)
        case .pull: self.init(from: other, to: local, createsTarget: createsTarget, limits: limits)
        }
        self.selection = selection
        if case .pull = direction { pulled = datastore }
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

    /// Runs the replication to its end. A continuous replication runs until the task is cancelled.
    ///
    /// - Parameter onProgress: Called when the progress changes.
    /// - Returns: A report with the counts, and the documents that could not be replicated.
    /// - Throws: ``ReplicationError`` if one of the databases fails. Documents that were replicated remain in the
    ///   target, and the next run continues from the last checkpoint. Cancellation of the task throws the code
    ///   ``ReplicationError/Code/cancelled``.
    public func run(
        onProgress: @escaping @Sendable (ReplicationProgress) -> Void = { _ in }
    ) async throws(ReplicationError) -> ReplicationReport {
        let watch = ReplicationWatch { if case .progress(let progress) = $0 { onProgress(progress) } }
        return try await ReplicationShell(replicator: self, watch: watch).run()
    }

    /// Starts the replication.
    ///
    /// - Returns: A running replication, whose events can be read and which can be stopped.
    public func start() -> ReplicationRun { ReplicationRun(self) }

    /// Returns the source text of the filter function. If the text changes, the replication starts from the beginning.
    /// The text is empty if the replication has no filter function, or if the function does not exist. If the function
    /// does not exist, the first request for changes fails.
    private func functionText() async throws(ReplicationError) -> String {
        guard let function = selection.function, let design = try await source.designDocument(function.design) else {
            return ""
        }
        let members = JSONValue.object(design)
        let text =
            switch function.kind {
            case .filter: members["filters"]?[function.name]
            case .view: members["views"]?[function.name]?["map"]
            }
        return text.map { " " + $0.jsonText() } ?? ""
    }

    /// The plan for the machine of a run.
    package func plan() async throws(ReplicationError) -> ReplicationMachine.Plan {
        let (from, to) = (try await source.identity(), try await target.identity())
        var plan = ReplicationMachine.Plan(
            id: Checkpoint.id(source: from, target: to, selection: selection.identity + (try await functionText())),
            sessionID: UUID().uuidString.lowercased().filter { $0 != "-" },
            now: { HTTPDate.text(Int(Date.now.timeIntervalSince1970)) })
        if !selection.isEverything { plan.everythingID = Checkpoint.id(source: from, target: to) }
        plan.isContinuous = isContinuous
        plan.selection = selection
        plan.limits = limits
        plan.seed = UInt64.random(in: .min ... .max)
        return plan
    }
}
