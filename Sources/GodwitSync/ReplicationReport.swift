//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
}

/// How a replication ended.
public struct ReplicationReport: Sendable {
    /// What was done.
    public let counts: ReplicationCounts
    /// Where it began in the source's changes.
    public let startSequence: String
    /// Where it ended.
    public let endSequence: String
    /// Changes that were looked at.
    public let changesDone: Int
    /// The revisions that could not be replicated.
    public let failures: [ReplicationFailure]
}
