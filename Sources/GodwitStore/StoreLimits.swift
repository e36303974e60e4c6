//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

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

    /// Bytes of bodies after which a slice of a scan ends.
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

    /// The length of the write-ahead log that starts a checkpoint, in pages of 4096 bytes.
    public var checkpointPages = 1_000

    /// A stored chunk of an attachment, in bytes.
    public static let attachmentChunkBytes = 256 << 10

    /// Chunks of an upload gathered for one short transaction.
    public static let uploadChunksPerCommit = 4

    /// Threads for blocking work, shared by all databases of a process.
    public static let blockingThreadsMax = 16

    /// Revisions of a document's tree that its row holds; older ones move to segments.
    static let recentRevisionsMax = 32

    /// Revisions moved to a segment at once.
    static let segmentRevisions = 16

    /// The limits that a datastore has unless told otherwise.
    public static let `default` = StoreLimits()

    /// Creates the default limits, to be changed one by one.
    public init() {}

    package var json: JSONLimits { JSONLimits(depthMax: depthMax) }
}
