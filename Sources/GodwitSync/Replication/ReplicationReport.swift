//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// What a replication did, in the counts of CouchDB's history.
public struct ReplicationCounts: Equatable, Sendable {
    /// Revisions whose presence at the target was asked for.
    public var missingChecked = 0
    /// Of those, the ones that the target did not have.
    public var missingFound = 0
    /// Revisions read from the source.
    public var documentsRead = 0
    /// Revisions written to the target.
    public var documentsWritten = 0
    /// Revisions that could not be read or written.
    public var writeFailures = 0

    /// Creates zeros.
    public init() {}
}

/// How far a replication is.
public struct ReplicationProgress: Equatable, Sendable {
    /// Changes that are done.
    public var changesDone: Int
    /// Changes that are known of, done ones included. It grows when the source changes meanwhile.
    public var changesTotal: Int
    /// What was done so far.
    public var counts: ReplicationCounts
    /// Bytes of large attachments that arrived, those included that an earlier run left and this one went on with.
    ///
    /// A push counts what it gave to the network, of which a cut takes some away: the number stands then until as much has
    /// been sent again.
    public var attachmentBytes = 0
    /// The place in the source's changes up to which they were read; `nil` before the first.
    public var sourceSequence: String?
    /// The place up to which all is done.
    public var throughSequence: String?
    /// The place that the last checkpoint says.
    public var checkpointedSequence: String?

    /// Creates a state.
    public init(changesDone: Int = 0, changesTotal: Int = 0, counts: ReplicationCounts = ReplicationCounts()) {
        self.changesDone = changesDone
        self.changesTotal = changesTotal
        self.counts = counts
    }
}

/// What a replication is doing.
public enum ReplicationState: String, Sendable {
    /// It was not started.
    case pending
    /// It brings documents over.
    case running
    /// All is there; it waits for changes.
    case idle
    /// The peer cannot be reached or asks to wait; it tries again.
    case offline
    /// It was stopped before its end.
    case stopped
    /// It ran to its end.
    case completed
    /// It failed as a whole.
    case failed
}

/// How a replication ended.
public struct ReplicationReport: Sendable {
    /// What was done.
    public let counts: ReplicationCounts
    /// Where it began in the source's changes.
    public let startSequence: String
    /// Up to where in the source's changes all is done.
    public let endSequence: String
    /// Changes that were looked at.
    public let changesDone: Int
    /// The revisions that could not be replicated; the first `failuresMax` of them.
    public let failures: [ReplicationFailure]
    /// Whether it was stopped before its end.
    public let wasStopped: Bool
    /// The runs of this replication, the newest first, in CouchDB's form.
    package let history: [JSONValue]
}
