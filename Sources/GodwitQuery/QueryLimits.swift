//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What queries and their indexes may cost.
public enum QueryLimits {
    /// Fields that one index may have.
    public static let indexFieldsMax = 64

    /// Elements of one array that an index has an entry for; an array with more is looked at whenever elements are
    /// asked for.
    public static let indexedElementsMax = 1_000

    /// Bytes of values that an index keeps of one document, so that a query for indexed fields reads no documents.
    public static let coveredBytesMax = 256

    /// Ranges of an index that one query may read; beyond, fewer fields restrict it and more documents are looked at.
    public static let rangesMax = 1_000

    /// How often a query is planned while the indexes that it chose go away under it.
    static let plansMax = 20

    /// How long a query waits for indexes that would serve it and are being built, before it looks at all documents.
    public static let indexWait = Duration.seconds(10)

    /// Branches of an `$or` that are each read from an index; beyond, all documents are looked at.
    public static let branchesMax = 100

    /// Shapes of queries for which the chosen index is remembered, of one database; then it begins anew.
    static let choicesRememberedMax = 500

    /// Documents to which an index may narrow a text search down; with more, each hit is looked at.
    static let narrowedMax = 10_000

    /// Entries of an index that are counted to learn how well it serves a query.
    public static let countedEntriesMax = 200

    /// Documents that are sorted in memory where no index has the order.
    public static let sortedRowsMax = 100_000

    /// Changes that a feed with a selector looks at rather than ask an index.
    static let changesLookedAt = 1_000

    /// Changes of which a feed with a selector keeps the numbers, found through an index; with more it looks at all.
    static let candidatesMax = 100_000

    /// Threads that test relations of geometries for queries that take long. Such work beyond them waits, and other work does not.
    static let geometryThreadsMax = 2

    /// Seconds for which a query tests geometries before it gives its thread to others.
    static let geometrySliceSecondsMax = 0.05

    /// Hits of a geospatial index that a query holds at most before it reads their documents.
    static let geometryHitsWaitingMax = 16_384

    /// Results that a live query may have; of one with a limit, those that it shows and leaves out at the beginning.
    public static let liveRowsMax = 100_000

    /// Results that a live query with a limit holds beyond those that it shows, so that it need not be run again
    /// whenever one of them leaves.
    static let liveReserve = 100

    /// The longest bookmark, in bytes.
    public static let bookmarkBytesMax = 100_000

    /// Bytes of documents that one step of a query reads before it lets others run.
    public static let sliceBytesMax = 1 << 20
}
