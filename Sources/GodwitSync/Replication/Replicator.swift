//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Brings the documents of one database to another: every leaf with its history, deletions and attachments.
///
/// Once, or for as long as it is let run. A replication that was interrupted goes on where it stopped, from its
/// checkpoints; what the target has already is not sent again. A value: it may run any number of times.
///
/// ```swift
/// let remote = try RemoteEndpoint.couchDB("https://example.org/trips", credentials: .session(user: name, password: secret))
/// let report = try await Replicator(.push, trips, with: remote).run { print("\($0.changesDone)/\($0.changesTotal)") }
///
/// var live = Replicator(.pull, trips, with: remote)
/// live.isContinuous = true
/// for try await event in live.start() { … }
/// ```
public struct Replicator: Sendable {
    /// Which way documents go, as seen from the datastore.
    public enum Direction: Sendable {
        /// From the datastore to the other side.
        case push
        /// From the other side to the datastore.
        case pull
    }

    let source: any DatabaseEndpoint
    let target: any DatabaseEndpoint
    let limits: ReplicationLimits
    /// The datastore that a pull fills.
    private(set) var pulled: Datastore?

    /// Whether the target is made when it is not there.
    public var createsTarget = false

    /// Whether it goes on when all is there, and waits for changes. It then tries again for ever what fails for want of
    /// a network or because the peer is in trouble.
    public var isContinuous = false

    /// Whether a continuous replication that waits for a network tries again at once when the machine's network changes,
    /// as ``ReplicationRun/networkChanged()`` makes it do. It does by default; where the system does not tell of changes
    /// nothing comes of it.
    public var watchesNetwork = true

    /// Which documents it is about.
    public var selection = ReplicationSelection()

    /// What becomes of a document in the datastore that a pull fills, when it does not meet the selector any more.
    public enum Unmatched: Sendable {
        /// It stays as it was when it met it last.
        case keep
        /// It is purged, when all is there, unless it was changed here and the source does not know of it.
        case purge
    }

    /// What becomes of documents that do not meet the selector any more; they stay by default. Deletions are of that kind:
    /// a tombstone has no members. Without a selector nothing happens.
    public var onUnmatched = Unmatched.keep

    /// How conflicts are resolved that a pull into a datastore brings: when all is there, at the end of a run or whenever
    /// a continuous one waits. They stay by default.
    public var resolution: PullResolution?

    /// What a program's user does about a target that is not there.
    package var missingTargetAdvice = "It is the target: make it first, or let the replication create it."

    /// Memory that it shares with other replications; `nil` for none but its own limits.
    package var memory: ReplicationMemory?

    /// Who takes what it takes of ``memory``.
    package var memoryOwner = ""

    /// Whether both sides remember how far it came. One without begins at ``ReplicationSelection/since`` each time.
    var keepsCheckpoints = true

    /// The longest attachment that is brought, in bytes; all by default. Longer ones stay at the source, and
    /// ``GodwitStore/Datastore/fetch(_:of:at:from:limits:onProgress:)`` brings one of them when it is wanted.
    ///
    /// It counts where the target is a datastore. What was left out stays so, also when a later run has no limit.
    public var attachmentBytesMax: Int?

    /// The longest attachment that is brought to the target as it is.
    var carriedBytesMax: Int { target.keepsAbsentAttachments ? max(0, attachmentBytesMax ?? .max) : .max }

    /// Creates a replication between a datastore and another database.
    ///
    /// - Parameters:
    ///   - direction: Which way documents go.
    ///   - datastore: The datastore.
    ///   - other: The other side.
    ///   - createsTarget: Whether the target is made when it is not there.
    ///   - selection: Which documents it is about; all by default.
    ///   - limits: The sizes of pages and batches.
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

    /// Runs the replication: to its end, or for as long as the task when it is continuous.
    ///
    /// - Parameter onProgress: Told after each step.
    /// - Returns: What was done, with the documents that could not be replicated.
    /// - Throws: ``ReplicationError`` when a side fails as a whole; what was replicated until then is kept, and the next
    ///   run goes on from there. Cancelling the task does the same, with code ``ReplicationError/Code/cancelled``.
    public func run(
        onProgress: @escaping @Sendable (ReplicationProgress) -> Void = { _ in }
    ) async throws(ReplicationError) -> ReplicationReport {
        let watch = ReplicationWatch { if case .progress(let progress) = $0 { onProgress(progress) } }
        return try await ReplicationShell(replicator: self, watch: watch).run()
    }

    /// Starts the replication and tells of it.
    ///
    /// - Returns: A running replication, whose events can be read and which can be stopped.
    public func start() -> ReplicationRun { ReplicationRun(self) }

    /// The text of the function that chooses: with another text, the replication begins anew. Empty when no function
    /// chooses, or there is none of its name; the first page of changes says so then.
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

    /// What the machine of a run is to do.
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
