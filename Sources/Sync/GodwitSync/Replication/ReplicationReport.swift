//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// The counts of a replication, as in CouchDB's replication history.
public struct ReplicationCounts: Equatable, Sendable {
    /// The number of revisions that the target was asked about.
    public var missingChecked = 0
    /// The number of revisions that the target did not have when it was asked about them.
    public var missingFound = 0
    /// The number of revisions that were read from the source.
    public var documentsRead = 0
    /// The number of revisions that were written to the target.
    public var documentsWritten = 0
    /// The number of revisions that could not be read or written.
    public var writeFailures = 0

    /// Creates counts of zero.
    public init() {}
}

/// The progress of a replication.
public struct ReplicationProgress: Equatable, Sendable {
    /// The number of changes whose processing is finished.
    public var changesDone: Int
    /// The number of changes that the source has reported, including finished changes. It grows when the source
    /// changes.
    public var changesTotal: Int
    /// The counts so far.
    public var counts: ReplicationCounts
    /// The bytes of large attachments that arrived, including bytes that an earlier run had transferred.
    ///
    /// A push counts the bytes that it sent, although some of them do not reach the target if the connection is lost.
    /// After such a loss, the number stays constant until the same number of bytes has been sent again.
    public var attachmentBytes = 0
    /// The source's sequence up to which changes were read, or `nil` before the first page.
    public var sourceSequence: String?
    /// The source's sequence up to which all changes are finished.
    public var throughSequence: String?
    /// The source's sequence of the last checkpoint.
    public var checkpointedSequence: String?

    /// Creates a progress.
    public init(changesDone: Int = 0, changesTotal: Int = 0, counts: ReplicationCounts = ReplicationCounts()) {
        self.changesDone = changesDone
        self.changesTotal = changesTotal
        self.counts = counts
    }
}

/// The state of a replication.
public enum ReplicationState: String, Sendable {
    /// The replication has not started.
    case pending
    /// The replication transfers documents.
    case running
    /// All changes are replicated, and the replication waits for further changes.
    case idle
    /// The server cannot be reached, or asks the client to wait. The replication will try again.
    case offline
    /// The replication was stopped before its end.
    case stopped
    /// The replication ran to its end.
    case completed
    /// The replication failed.
    case failed
}

/// The result of a replication.
public struct ReplicationReport: Sendable {
    /// The counts.
    public let counts: ReplicationCounts
    /// The source's sequence from which the run started; `0` for the beginning.
    public let startSequence: String
    /// The source's sequence up to which all changes are finished.
    public let endSequence: String
    /// The number of changes that were processed.
    public let changesDone: Int
    /// The revisions that could not be replicated, at most `failuresMax`.
    public let failures: [ReplicationFailure]
    /// Whether the replication was stopped before its end.
    public let wasStopped: Bool
    /// The runs of this replication, the newest first, in CouchDB's form.
    package let history: [JSONValue]
}
