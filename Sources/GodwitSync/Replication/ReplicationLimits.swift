//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The named limits of a replication.
public struct ReplicationLimits: Sendable {
    /// Changes read at a time.
    public var changesPerPageMax = 1_000

    /// Pages of changes that are under way at a time.
    public var pagesInFlightMax = 4

    /// Revisions fetched in one request and written in one request. The number used adapts itself to what they weigh
    /// and how fast the peer is; this is the most.
    public var revisionsPerBatchMax = 500

    /// Requests for revisions that are under way at a time.
    public var readsInFlightMax = 4

    /// Requests that write revisions at a time.
    public var writesInFlightMax = 2

    /// Documents with large attachments that are carried at a time.
    public var carriesInFlightMax = 4

    /// Bytes of documents that one request for revisions may answer with, unless one document alone is longer.
    public var readBytesMax = 4 << 20

    /// Bytes of documents in one `_bulk_docs` request, unless one document alone is longer.
    public var writeBytesMax = 4 << 20

    /// Bytes of documents in memory: read and not written yet, or being read. One document may be above it alone.
    public var bytesInFlightMax = 24 << 20

    /// Bytes of all attachments of one document up to which they come along with it, in memory.
    public var attachmentsInlineBytesMax = 64 << 10

    /// Bytes of all attachments of one document from which on a peer is asked what of them arrived, before they are sent. Of a
    /// document with fewer it is asked once they were sent in vain.
    public var attachmentsResumedBytesMin = 1 << 20

    /// How long a push waits for another one of the same attachment to end, in seconds: it may be its own, that was cut.
    public var arrivalsWaitSecondsMax = 15.0

    /// The longest answer of a peer that is held in memory, in bytes: one document with its history.
    public var responseBytesMax = 96 << 20

    /// The longest page of changes that is taken, in bytes, unless one change alone is longer. A longer one is asked for
    /// again with fewer changes.
    public var changesBytesMax = 96 << 20

    /// The longest page with one change, whose document may have many leaves, in bytes.
    var changeBytesMax: Int { min(responseBytesMax, 4 * changesBytesMax) }

    /// The longest answer of a peer that is neither documents nor changes, in bytes.
    public var answerBytesMax = 96 << 20

    /// How long one request to a peer may take, in seconds, unless it waits for changes or carries attachments.
    public var requestSecondsMax = 300

    /// How often a peer is to give a sign of life while it has nothing to say, in seconds.
    public var heartbeatSeconds = 30

    /// The least time between two checkpoints, in seconds, while there is work. The first follows the first page.
    public var checkpointSecondsMin = 1.0

    /// How often a step is tried before a replication that runs once gives up. A continuous one never does.
    public var attemptsMax = 6

    /// The wait before a step is tried again, in seconds. It doubles with each failure.
    public var retrySeconds = 0.25

    /// The longest wait between two tries, in seconds.
    public var retrySecondsMax = 120.0

    /// The longest wait that a peer may ask for (`Retry-After`), in seconds.
    public var retryAfterSecondsMax = 3_600.0

    /// Failures of documents that the report holds; further ones are counted.
    public var failuresMax = 1_000

    /// Entries kept in the history of a checkpoint. CouchDB's number.
    public static let historyMax = 50

    /// Creates the default limits, to be changed one by one.
    public init() {}
}
