//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of geospatial indexes and queries.
public enum GeoLimits {
    /// The maximum number of geometries of one document in an index. Further geometries are omitted and listed as
    /// skipped.
    public static let geometriesPerDocumentMax = AreaCondition.geometriesMax
    /// The maximum number of hits of one page of a query.
    public static let hitsMax = 200
    /// The maximum number of hits that a query skips (``GeoQuery/skip``).
    public static let skipMax = 10_000
    /// A query begins on the calling thread. These are the maximum number of geometries that it examines there, and the
    /// maximum time of this work in seconds. A query that exceeds one of them runs on a thread of
    /// `BlockingPool.geometry`.
    static let examinedOnCallerMax = 5_000
    static let secondsOnCallerMax = 0.02
    /// The maximum number of positions of an area that is prepared on the calling thread.
    static let positionsOnCallerMax = 500
    /// The time in seconds after which a query fails.
    static let querySecondsMax = 10.0
    /// The processor time in seconds that the transaction of a write may use for the geometries of one document. The
    /// time for points is not counted. The time is checked before each geometry. When the time is exceeded, further
    /// geometries are omitted and listed as skipped.
    static let documentSecondsMax = 0.5
    /// The maximum number of reasons for skipped geometries that are stored for one document.
    static let reasonsMax = 8
    /// The factor by which a step of building a geospatial index is larger than for other indexes. With larger steps,
    /// each node of the tree is written fewer times.
    static let sliceFactor = 8
    /// When many documents are indexed together, several cores read their geometries. Each core processes this number
    /// of documents at a time.
    static let documentsReadTogether = 256
    /// Boxes are first collected in memory. When this number is reached, they are added to an R*Tree. The last document
    /// may have more boxes, so the number can be exceeded.
    static let boxesWaitingMax = 32_768
    /// The maximum number of boxes in memory while a tree is packed. When it is reached, the boxes are written to the
    /// file; if there are more boxes, they are sorted in several runs. The maximum applies separately to the boxes that
    /// are being sorted (32 bytes each), and to the boxes whose leaves are in memory (16 bytes each). The boxes of the
    /// last transaction can exceed it.
    static let cellsSortedMax = 1 << 19
    /// The number of boxes of a run that are read at a time.
    static let cellsPerPieceMax = 4_096
    /// The number of boxes that one transaction adds to a tree that is packed.
    static let cellsPerCommit = 1 << 16
    /// The maximum number of skipped documents that are listed.
    package static let skippedListedMax = 100
    /// The maximum length of a bookmark in bytes.
    static let bookmarkBytesMax = 2_048
}
