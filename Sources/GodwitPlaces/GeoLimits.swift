//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of geospatial indexes and queries.
public enum GeoLimits {
    /// The most geometries of one document in an index; what is more is left out and listed as skipped.
    public static let geometriesPerDocumentMax = AreaCondition.geometriesMax
    /// The most hits of one page of a query.
    public static let hitsMax = 200
    /// The most hits that a query passes over (``GeoQuery/skip``).
    public static let skipMax = 10_000
    /// How many geometries a query looks at on the thread that asks, and for how many seconds; what takes more is done on a
    /// thread of ``GodwitQuery/BlockingPool/geometry``.
    static let examinedOnCallerMax = 5_000
    static let secondsOnCallerMax = 0.02
    /// The most positions of an area that is prepared on the thread that asks.
    static let positionsOnCallerMax = 500
    /// After how many seconds a query is given up.
    static let querySecondsMax = 10.0
    /// How many seconds of processor time in a write's transaction the geometries of one document may take; those beyond are
    /// left out and listed as skipped.
    static let documentSecondsMax = 0.5
    /// The most reasons for skipped geometries that are kept of one document.
    static let reasonsMax = 8
    /// How many times the usual a step of building an index takes: the more, the fewer times a node is written.
    static let sliceFactor = 8
    /// Documents of a step whose geometries one core reads at a time.
    static let documentsReadTogether = 256
    /// The most boxes that wait to be added to an R*Tree together.
    static let boxesWaitingMax = 32_768
    /// The most boxes that are sorted in memory when a tree is packed, 32 bytes each, and the most of which it is remembered
    /// where they went, 16 bytes each; what is more is sorted in several runs.
    static let cellsSortedMax = 1 << 19
    /// How many boxes of a run are read at a time.
    static let cellsPerPieceMax = 4_096
    /// How many boxes one transaction adds to a tree that is packed.
    static let cellsPerCommit = 1 << 16
    /// The most skipped documents that are listed.
    package static let skippedListedMax = 100
    /// The longest bookmark that is read.
    static let bookmarkBytesMax = 2_048
}
