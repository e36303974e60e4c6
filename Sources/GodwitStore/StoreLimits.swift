//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
import GodwitThreads

/// The named limits of a store. Every buffer, queue and slice of the engine is bounded by one of them.
public struct StoreLimits: Sendable {
    /// The longest body of a document, in bytes of JSON without attachments. CouchDB's `max_document_size`.
    public var bodyBytesMax = 8_000_000

    /// The deepest nesting of a document's body.
    public var depthMax = 10_000

    /// The longest document id, in bytes of UTF-8.
    public var documentIDBytesMax = 7_168

    /// The longest revision hash that a peer may bring, in bytes.
    public var revisionHashBytesMax = 256

    /// The longest history that one replicated revision may bring.
    public var revisionPathMax = 10_000

    /// Documents read in one slice of a scan, before its read transaction ends.
    public var sliceRowsMax = 500

    /// Documents that one step of building an index takes, its transaction being the writer's.
    public var indexedPerCommit = 2_000

    /// Bytes of rows after which a slice of a scan ends.
    public var sliceBytesMax = 1 << 20

    /// Writes that share one commit.
    public var writesPerCommitMax = 256

    /// Writes that wait in one database before a further one is refused.
    public var writesWaitingMax = 20_000

    /// Idle readers that one database keeps open.
    public var readersIdleMax = 4

    /// The page cache of a database's writer, in bytes.
    public var writerCacheBytes = 8 << 20

    /// The page cache of each reader, in bytes.
    public var readerCacheBytes = 2 << 20

    /// The page cache of each reader of an encrypted database, in bytes: a page that is not there costs its decryption.
    public var encryptedReaderCacheBytes = 16 << 20

    /// What all open connections of a manager may keep in their page caches together, in bytes.
    public var pageCacheBytesMax = 256 << 20

    /// Databases of a manager whose files are open at once; others open again when they are used.
    public var databasesOpenMax = 1_024

    /// Databases of a manager that stay in memory, their files open or not; of more, those that nobody has in hand go.
    public var databasesKeptMax = 3_072

    /// The length of the write-ahead log that starts a checkpoint, in pages of 4096 bytes.
    public var checkpointPages = 1_000

    /// What the write-ahead log of a database may take, in bytes. Snapshots end when it is half full.
    public var logBytesMax = 64 << 20

    /// How long an upload may rest before its bytes are removed, in seconds.
    public var uploadIdleSecondsMax = 3_600

    /// How long an upload may not come on before another one of the same bytes may go on with what it left, in seconds.
    public var uploadStalledSecondsMax = 10

    /// Announced attachments of which one question may ask how much of them arrived.
    package static let arrivalsAskedMax = 1_000

    /// How long a database keeps the bytes of an attachment whose document has not come, in seconds: a pull or a push that
    /// was cut may go on with them for so long.
    public var arrivalsSecondsMax = 7 * 86_400

    /// What such bytes may take in a database, in bytes; of more the oldest go. An attachment counts a chunk at least.
    public var arrivalsBytesMax = 2 << 30

    /// Purges that a database remembers for indexes that fell behind.
    public var purgesRememberedMax = 1_000

    /// How long a database remembers the revisions of documents that expired, in days.
    public var expiredRememberedDays = 90

    /// How often a resolver is asked again for one document, because others changed its sides.
    public var resolutionRoundsMax = 5

    /// How often the names of databases that were written to go to the catalogue's journal, in seconds.
    static let updatesJournalSeconds = 1.0

    /// Entries of that journal read at once.
    static let updatesSliceMax = 500

    /// The longest name of an owner, in bytes.
    public static let ownerBytesMax = 512

    /// What was made of single design documents, kept by a database while its files are open, in bytes.
    static let designsKeptBytesMax = 1 << 20

    /// The last changes that a database keeps in memory for those who wait for them.
    static let recentChangesMax = 1_000

    /// A page of a file, in bytes.
    static let pageBytes = 4_096

    /// What the check of a directory tells of one database.
    static let faultsMax = 1_000

    /// The smallest page cache of a connection, in bytes.
    static let cacheBytesMin = 64 << 10

    /// A page cache with less room is emptied after each use: those of so many databases would hold much more than the
    /// reading of a few pages costs.
    static let cacheBytesKeptMin = 256 << 10

    /// How many different sets of design documents and indexes are known to match.
    static let followedDesignsMax = 100

    /// The length of such a set, in bytes, above which it is looked at each time.
    static let followedDesignsBytesMax = 64 << 10

    /// How long a writer waits for readers that keep a log too long, in milliseconds.
    static let logWaitMilliseconds: Int32 = 1_000

    /// Bodies that one step of a compaction removes.
    static let compactedPerCommit = 256

    /// Chunks of an attachment that one step removes.
    static let chunksFreedPerCommit = 16

    /// Pages that one step of a compaction gives back.
    static let pagesFreedPerCommit = 256

    /// Documents that one step of expiry removes.
    static let expiredPerCommit = 100

    /// Documents of which a resolver that runs by itself remembers how often it was asked.
    static let resolutionsTrackedMax = 10_000

    /// A stored chunk of an attachment, in bytes.
    public static let attachmentChunkBytes = 256 << 10

    /// Bytes of a backup that are read at once to be sent.
    static let backupReadBytes = 256 << 10

    /// Room on the disk that is kept for the catalogue and for deletions when the disk is full, in bytes.
    static let diskReserveBytes = 1 << 20

    /// How long writes are refused on a full disk before it is looked at again, in seconds.
    static let diskReserveRetrySeconds = 1.0

    /// Damaged documents and attachments that are reported within a minute.
    static let damageReportsPerMinuteMax = 20

    /// Reports of damage that are remembered, so that each is made once.
    static let damageReportsRememberedMax = 1_000

    /// What a row counts in a slice beside its body, in bytes.
    static let sliceRowBytes = 160

    /// Chunks of an upload gathered for one short transaction.
    public static let uploadChunksPerCommit = 4

    /// Threads for blocking work, shared by all databases of a process.
    public static let blockingThreadsMax = 16

    /// Threads for costly work that clients ask for: one for each processor, and two at least, so that one long job does
    /// not stop everybody else's.
    static let workThreadsMax = max(2, Processors.count)

    /// SQLite's instructions between two looks whether the client that waits for a statement still wants it, and may: some
    /// tens of microseconds. Each counts as a step of work.
    static let instructionsPerLook = 2_000

    /// The stack of such a thread, in bytes: as large as that of Swift's own threads.
    static let workStackBytes = 8 << 20

    /// Revisions of a document's tree that its row holds; older ones move to segments.
    static let recentRevisionsMax = 32

    /// Documents of a batch whose revision ids one core computes at a time.
    static let documentsPreparedTogether = 128

    /// Revisions moved to a segment at once.
    static let segmentRevisions = 16

    /// The limits that a datastore has unless told otherwise.
    public static let `default` = StoreLimits()

    /// Creates the default limits, to be changed one by one.
    public init() {}

    package var json: JSONLimits { JSONLimits(depthMax: depthMax) }
}
