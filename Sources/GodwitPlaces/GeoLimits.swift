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
    /// The maximum number of geometries that a query examines on the calling thread, and the maximum time of this work
    /// in seconds. A query that exceeds this number or this time runs on a thread of `BlockingPool.geometry`.
    static let examinedOnCallerMax = 5_000
    static let secondsOnCallerMax = 0.02
    /// The maximum number of positions of an area that is prepared on the calling thread.
    static let positionsOnCallerMax = 500
    /// The time in seconds after which a query fails.
    static let querySecondsMax = 10.0
    /// The processor time in seconds that a write's transaction may use for the geometries of one document. The time
    /// for points is not included. The time is checked before each geometry. When the time is exceeded, further
    /// geometries are omitted and listed as skipped.
    static let documentSecondsMax = 0.5
    /// The maximum number of reasons for skipped geometries that are stored for one document.
    static let reasonsMax = 8
    /// The factor by which a step of building an index is larger than usual. With larger steps, each node is written
    /// fewer times.
    static let sliceFactor = 8
    /// When many documents are indexed together, one core reads the geometries of this number of documents at a time.
    static let documentsReadTogether = 256
    /// The number of collected boxes at which these boxes are added to an R*Tree. The boxes of the last document can
    /// exceed this number.
    static let boxesWaitingMax = 32_768
    /// When a tree is packed, the boxes in memory are written to the file when their number reaches this limit. The
    /// limit applies separately to the boxes that are sorted (32 bytes each), and to the boxes whose leaves are in
    /// memory (16 bytes each). The boxes of the last transaction can exceed the limit. More boxes are sorted in several
    /// runs.
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
