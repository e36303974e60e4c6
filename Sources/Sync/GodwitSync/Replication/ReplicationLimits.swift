//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The named limits of a replication.
public struct ReplicationLimits: Sendable {
    /// The interval at which a continuous replication checks that its databases were not replaced, in seconds. The
    /// check is also done before each checkpoint and after each failure.
    public var instanceCheckSeconds = 60.0

    /// The maximum number of changes that one request reads.
    public var changesPerPageMax = 1_000

    /// The maximum number of pages of changes that are processed at a time.
    public var pagesInFlightMax = 4

    /// The maximum number of documents whose revisions one request reads. It is also the maximum number of revisions
    /// that one request writes. The actual number adapts to the size of the documents and to the speed of the server.
    public var revisionsPerBatchMax = 500

    /// The maximum number of requests in progress that read revisions.
    public var readsInFlightMax = 4

    /// The maximum number of requests in progress that write revisions.
    public var writesInFlightMax = 2

    /// The maximum number of documents with large attachments that are transferred at a time.
    public var carriesInFlightMax = 4

    /// The maximum number of bytes of documents in one response to a request for revisions. A single document may be
    /// longer.
    public var readBytesMax = 4 << 20

    /// The maximum number of bytes of documents in one `_bulk_docs` request. A single document may be longer.
    public var writeBytesMax = 4 << 20

    /// The maximum number of bytes of the documents in memory. These are the documents that are being read, and those
    /// that were read and are not written yet. A single document may exceed it.
    public var bytesInFlightMax = 24 << 20

    /// If the attachments of a document have at most this number of bytes together, they are read into memory with the
    /// document.
    public var attachmentsInlineBytesMax = 64 << 10

    /// If the attachments of a document have at least this number of bytes together, the server is asked before the
    /// first attempt how many of these bytes it already has. For smaller attachments, the server is asked only after a
    /// failed attempt.
    public var attachmentsResumedBytesMin = 1 << 20

    /// The time that a push waits for another upload of the same attachment, in seconds. That upload may be an earlier
    /// upload of the same push, on a connection that was lost.
    public var arrivalsWaitSecondsMax = 15.0

    /// The maximum length of a response that is read into memory, in bytes, for example of one document with its
    /// history.
    public var responseBytesMax = 96 << 20

    /// The maximum length of a page of several changes, in bytes. A longer page is requested
    /// again with fewer changes.
    public var changesBytesMax = 96 << 20

    /// The maximum length of a page with one change, in bytes. The page may be long, because the changed document may
    /// have many leaves.
    var changeBytesMax: Int { min(responseBytesMax, 4 * changesBytesMax) }

    /// The maximum length of a response that contains neither documents nor changes, in bytes.
    public var answerBytesMax = 96 << 20

    /// The time limit of a request that neither waits for changes nor transfers attachments, in seconds.
    public var requestSecondsMax = 300

    /// The interval at which the server is asked to send a heartbeat while there are no changes, in seconds.
    public var heartbeatSeconds = 30

    /// The minimum time between two checkpoints while changes are being replicated, in seconds. The first checkpoint is
    /// saved after the first page.
    public var checkpointSecondsMin = 1.0

    /// The maximum number of attempts of a step. After this number of failed attempts, a one-shot replication fails. A
    /// one-shot replication tries to open the databases at most twice. A continuous replication repeats a step without
    /// end, if the failure of the step is transient.
    public var attemptsMax = 6

    /// The maximum wait before the second attempt of a step, in seconds. The maximum doubles with each failure. The
    /// actual wait is random, between half of the maximum and the maximum.
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
