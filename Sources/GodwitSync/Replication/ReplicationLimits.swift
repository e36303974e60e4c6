//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The named limits of a replication.
public struct ReplicationLimits: Sendable {
    /// The maximum number of changes that one request reads.
    public var changesPerPageMax = 1_000

    /// The maximum number of pages of changes that are processed at a time.
    public var pagesInFlightMax = 4

    /// The maximum number of documents whose revisions one request reads, and of revisions that one request writes. The
    /// actual number adapts to their size and to the speed of the server.
    public var revisionsPerBatchMax = 500

    /// The maximum number of requests in progress that read revisions.
    public var readsInFlightMax = 4

    /// The maximum number of requests in progress that write revisions.
    public var writesInFlightMax = 2

    /// The maximum number of documents with large attachments that are transferred at a time.
    public var carriesInFlightMax = 4

    /// The maximum number of bytes of documents in one response for revisions, unless one document alone is longer.
    public var readBytesMax = 4 << 20

    /// The maximum number of bytes of documents in one `_bulk_docs` request, unless one document alone is longer.
    public var writeBytesMax = 4 << 20

    /// The maximum number of bytes of documents in memory: of documents that are being read, or were read and are not
    /// written yet. A single document may exceed it.
    public var bytesInFlightMax = 24 << 20

    /// The attachments of a document are read with the document, in memory, if they have at most this number of bytes
    /// together.
    public var attachmentsInlineBytesMax = 64 << 10

    /// The server is asked how many bytes of a document's attachments it already has, before they are sent. This is
    /// done if the attachments have at least this number of bytes together. For smaller attachments, the server is
    /// asked only after a failed attempt.
    public var attachmentsResumedBytesMin = 1 << 20

    /// The time that a push waits for another upload of the same attachment, in seconds. That upload may be an earlier
    /// upload of the same push, on a connection that was lost.
    public var arrivalsWaitSecondsMax = 15.0

    /// The maximum length of a response in memory, in bytes: one document with its history.
    public var responseBytesMax = 96 << 20

    /// The maximum length of a page of changes, in bytes, unless one change alone is longer. A longer page is requested
    /// again with fewer changes.
    public var changesBytesMax = 96 << 20

    /// The maximum length of a page with one change, in bytes. Its document may have many leaves.
    var changeBytesMax: Int { min(responseBytesMax, 4 * changesBytesMax) }

    /// The maximum length of a response other than documents and changes, in bytes.
    public var answerBytesMax = 96 << 20

    /// The time limit of a request, in seconds, unless it waits for changes or transfers attachments.
    public var requestSecondsMax = 300

    /// The interval at which the server is asked to send a heartbeat while there are no changes, in seconds.
    public var heartbeatSeconds = 30

    /// The minimum time between two checkpoints while there is work, in seconds. The first checkpoint follows the first
    /// page.
    public var checkpointSecondsMin = 1.0

    /// The maximum number of attempts of a step. After them, a one-shot replication fails. The databases are opened at
    /// most twice. A continuous replication repeats a step without end, unless its failure is permanent.
    public var attemptsMax = 6

    /// The maximum wait before the second attempt of a step, in seconds. It doubles with each failure. The actual wait
    /// is random, at least half of the maximum.
    public var retrySeconds = 0.25

    /// The maximum wait between two attempts, in seconds.
    public var retrySecondsMax = 120.0

    /// The maximum wait that a server may request (`Retry-After`), in seconds.
    public var retryAfterSecondsMax = 3_600.0

    /// The number of failed documents that a report lists. Further failures are only counted.
    public var failuresMax = 1_000

    /// The number of entries in the history of a checkpoint, as in CouchDB.
    public static let historyMax = 50

    /// Creates the default limits.
    public init() {}
}
