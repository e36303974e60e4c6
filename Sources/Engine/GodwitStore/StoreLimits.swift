//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON

/// The named limits of a store. Every buffer, queue and slice of the engine is bounded by one of them.
public struct StoreLimits: Sendable {
    /// The maximum length of a document's body, in bytes of JSON without attachments. This is `max_document_size` in
    /// CouchDB.
    public var bodyBytesMax = 8_000_000

    /// The deepest nesting of a document's body.
    public var depthMax = 10_000

    /// The longest document id, in bytes of UTF-8.
    public var documentIDBytesMax = 7_168

    /// The longest revision hash of a replicated revision, in bytes.
    public var revisionHashBytesMax = 256

    /// The longest history of a replicated revision, in revisions.
    public var revisionPathMax = 10_000

    /// A slice of a scan, and its read transaction, end after this number of documents.
    public var sliceRowsMax = 500

    /// The number of documents in one step of building an index, which is one write transaction.
    public var indexedPerCommit = 2_000

    /// A slice of a scan ends when its rows have this size, in bytes.
    public var sliceBytesMax = 1 << 20

    /// The largest number of writes that share one commit.
    public var writesPerCommitMax = 256

    /// The largest number of waiting writes of one database. A further write is rejected.
    public var writesWaitingMax = 20_000

    /// The number of idle readers that one database keeps open.
    public var readersIdleMax = 4

    /// The largest page cache of a database's writer, in bytes. With many open databases it is smaller
    /// (``pageCacheBytesMax``).
    public var writerCacheBytes = 8 << 20

    /// The largest page cache of each reader, in bytes. With many open databases it is smaller.
    public var readerCacheBytes = 2 << 20

    /// The largest page cache of each reader of an encrypted database, in bytes. It is larger than for a plain
    /// database, because a page that is not in the cache must be decrypted.
    public var encryptedReaderCacheBytes = 16 << 20

    /// The total page cache of the open databases of a manager, in bytes. It is divided among the writer and one reader
    /// of each database. Further readers need additional memory, and the cache of each connection has at least 64 KB.
    public var pageCacheBytesMax = 256 << 20

    /// The number of databases of a manager whose files are open at once. The files of other databases open again when
    /// they are used.
    public var databasesOpenMax = 1_024

    /// The number of databases that a manager keeps in memory, with open or closed files. If there are more, idle
    /// databases without references are released.
    public var databasesKeptMax = 3_072

    /// A checkpoint begins when the write-ahead log has grown by at least this number of pages of 4096 bytes.
    public var checkpointPages = 1_000

    /// The intended maximum of a database's write-ahead log, in bytes. If a checkpoint cannot copy the complete log,
    /// snapshots end: those that are older than some seconds when the log is longer than half of this maximum, and all
    /// when it is longer than three quarters and they do not end by themselves within a second. Long reads that are not
    /// snapshots can make the log longer.
    public var logBytesMax = 64 << 20

    /// The number of open snapshots of a manager from which on a long answer no longer keeps one. Such an answer is
    /// read in slices that can see different states. The system's limit of open files can make the number smaller.
    public var snapshotsKeptMax = 128

    /// The number of open snapshots of a manager above which their connections keep no page cache between two reads.
    static let snapshotsCachedMax = 16

    /// Seconds without a read after which a long answer can lose its snapshot: to another answer, or because the log is
    /// longer than three quarters of ``logBytesMax``.
    public var snapshotIdleSecondsMax = 2.0

    /// The age at which snapshots end if the log is longer than half of ``logBytesMax``, in seconds.
    public var snapshotSecondsMax = 10.0

    /// Seconds without progress after which the bytes of an upload are removed.
    public var uploadIdleSecondsMax = 3_600

    /// Seconds without progress after which another upload of the same bytes may continue the stored part.
    public var uploadStalledSecondsMax = 10

    /// The largest number of announced attachments in one query of their received bytes.
    package static let arrivalsAskedMax = 1_000

    /// Seconds for which a database keeps the bytes of an attachment whose document has not arrived. During this time,
    /// an interrupted pull or push can continue after these bytes.
    public var arrivalsSecondsMax = 7 * 86_400

    /// The largest total size of bytes that a database keeps for attachments whose documents have not arrived. If the
    /// total is larger, the oldest bytes are removed. The size of an attachment is counted as at least one chunk.
    public var arrivalsBytesMax = 2 << 30

    /// The number of purges that a database remembers, for indexes that do not contain these purges yet.
    public var purgesRememberedMax = 1_000

    /// The maximum number of indexes of a database. An edit of a design document that would define more is refused. A
    /// replicated design document is stored, but its further indexes are not created: a query that needs one fails. Each
    /// write updates the indexes, and each connection reads the definitions of their tables.
    public var indexesMax = 1_000

    /// The number of days for which a database remembers the revisions of expired documents.
    public var expiredRememberedDays = 90

    /// The maximum number of attempts to save edits that are computed from a document's state, and the maximum number
    /// of automatic resolutions of one document within an hour.
    public var resolutionRoundsMax = 5

    /// The time between two looks of a manager that only reads for the commits of the other process, in milliseconds.
    package static let followMilliseconds = 250

    /// The time between two looks of ``DatastoreManager/suspend(secondsMax:)`` whether the work has ended, and of a feed
    /// whether the manager has been resumed, in milliseconds.
    static let suspensionMilliseconds = 10

    /// The interval at which the names of databases with new writes are added to the catalogue's journal, in seconds.
    static let updatesJournalSeconds = 1.0

    /// The largest number of journal entries that are read at once.
    static let updatesSliceMax = 500

    /// The longest name of an owner, in bytes.
    public static let ownerBytesMax = 512

    /// The memory for values that are each derived from one design document, in bytes. A database keeps these values
    /// while its files are open.
    static let designsKeptBytesMax = 1 << 20

    /// The number of the last changes that a database keeps in memory for waiting feeds.
    static let recentChangesMax = 1_000

    /// The size of a page of a file, in bytes.
    static let pageBytes = 4_096

    /// The largest number of faults that the check of a directory reports for one database.
    static let faultsMax = 1_000

    /// The smallest page cache of a connection, in bytes.
    static let cacheBytesMin = 64 << 10

    /// The page cache below which a connection releases its memory after each use, in bytes. Caches are so small only
    /// if many databases are open. In that case, saving memory is more important than reading a few pages again.
    static let cacheBytesKeptMin = 256 << 10

    /// The maximum number of sets of design documents and indexes that a manager remembers as matching: the design
    /// documents of such a set define exactly its indexes.
    static let followedDesignsMax = 100

    /// The largest size of a remembered set, in bytes. A larger set is compared each time.
    static let followedDesignsBytesMax = 64 << 10

    /// The maximum time that a writer waits for readers, in milliseconds. The writer waits if the readers prevent the
    /// write-ahead log from being written from its beginning again.
    static let logWaitMilliseconds: Int32 = 1_000

    /// The number of bodies that one step of a compaction removes.
    static let compactedPerCommit = 256

    /// The number of chunks of an attachment that one step removes.
    static let chunksFreedPerCommit = 16

    /// The number of pages that one step of a compaction returns to the file system.
    static let pagesFreedPerCommit = 256

    /// The number of documents that one step of expiry removes.
    static let expiredPerCommit = 100

    /// The number of documents for which automatic resolution counts the calls of the resolver.
    static let resolutionsTrackedMax = 10_000

    /// The maximum number of conflicted documents that wait for the automatic resolver. If more appear, all conflicted
    /// documents of the database are read again.
    static let resolutionsWaitingMax = 10_000

    /// The size of a stored chunk of an attachment, in bytes.
    public static let attachmentChunkBytes = 256 << 10

    /// The memory that is reserved for an attachment before its bytes are read, in bytes. A greater announced length
    /// may be wrong, so the memory grows with the bytes.
    static let attachmentReservedBytesMax = 16 << 20

    /// The number of bytes of a backup that are read at once when it is sent.
    static let backupReadBytes = 256 << 10
    /// The maximum number of attempts of work that reads a snapshot, such as a backup or a search, while writes end its
    /// snapshots.
    static let snapshotTriesMax = 3
    /// The number of entries in the list of a backup set that are in memory at once.
    static let backupEntriesAtOnce = 1_000
    /// The permissions of the directories of backup sets: only the owner can read them.
    static let backupDirectoryMode = 0o700

    /// The disk space that is reserved for the catalogue and for deletions when the disk is full, in bytes.
    static let diskReserveBytes = 1 << 20

    /// The interval between checks of a full disk while writes are rejected, in seconds.
    static let diskReserveRetrySeconds = 1.0

    /// The largest number of damaged documents and attachments that are reported within a minute.
    static let damageReportsPerMinuteMax = 20

    /// The number of damage reports that are remembered, so that an equal report is not sent again.
    static let damageReportsRememberedMax = 1_000

    /// The size that a row adds to a slice in addition to its body, in bytes.
    static let sliceRowBytes = 160

    /// The number of chunks of an upload that are written in one transaction.
    public static let uploadChunksPerCommit = 4

    /// The number of threads for blocking work, shared by all databases of a process.
    public static let blockingThreadsMax = 16

    /// The number of threads for costly work of clients: one for each processor, and at least two, so that one long job
    /// does not block the other clients.
    static let workThreadsMax = max(2, Processors.count)

    /// The number of SQLite's instructions between two checks of a request's cancellation and budget. This number of
    /// instructions takes some tens of microseconds. Each instruction is counted as one step of work.
    static let instructionsPerCheck = 2_000

    /// The stack of a thread for costly work, in bytes. It is as large as the stack of Swift's own threads.
    static let workStackBytes = 8 << 20

    /// The number of revisions that the row of a document contains. Older revisions are moved to segments.
    static let recentRevisionsMax = 32

    /// The number of documents of a batch whose revision ids one core computes at a time.
    static let documentsPreparedTogether = 128

    /// The number of revisions that move to a segment at once.
    static let segmentRevisions = 16

    /// The default limits of a datastore.
    public static let `default` = StoreLimits()

    /// Creates the default limits. Change the properties that differ.
    public init() {}

    /// The limits for parsing a document's JSON: ``depthMax``.
    package var json: JSONLimits { JSONLimits(depthMax: depthMax) }
}
