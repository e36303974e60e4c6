//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits on the cost of queries and their indexes.
public enum QueryLimits {
    /// The maximum number of fields of an index.
    public static let indexFieldsMax = 64

    /// The maximum number of elements of one array that have index entries. A document with a longer array is read and
    /// tested by every query that restricts elements.
    public static let indexedElementsMax = 1_000

    /// The maximum number of bytes of values that an index stores for one document, so that a query for indexed fields
    /// reads no documents.
    public static let coveredBytesMax = 256

    /// The maximum number of index ranges that one query reads. If more would be needed, the query restricts fewer
    /// fields, and tests more documents.
    public static let rangesMax = 1_000

    /// The maximum number of times that one query is planned. A query is planned again when an index of its plan was
    /// deleted.
    static let plansMax = 20

    /// The maximum time that a query waits for useful indexes that are being built, before it reads all documents.
    public static let indexWait = Duration.seconds(10)

    /// The maximum number of branches of an `$or` that are each read from an index. With more branches, the branches
    /// are not read separately.
    public static let branchesMax = 100

    /// The maximum number of query shapes for which a database stores the chosen index. When it is exceeded, all
    /// choices are discarded.
    static let choicesRememberedMax = 500

    /// The maximum number of documents to which an index restricts a text search. If there are more, each hit of the
    /// text search is tested.
    static let narrowedMax = 10_000

    /// The maximum number of index entries that are counted to choose an index for a query.
    public static let countedEntriesMax = 200

    /// The maximum number of documents that are sorted in memory if no index has the order.
    public static let sortedRowsMax = 100_000

    /// The maximum number of changes that a feed with a selector tests without using an index. If an index lacks at
    /// most this number of changes, a query completes the index before it runs.
    static let changesTestedMax = 1_000

    /// The maximum number of ids that a feed looks up. A feed of more ids tests all changes.
    static let idsLookedUpMax = 1_000

    /// The maximum number of candidate changes that a feed with a selector finds through indexes. With more, it tests
    /// all changes.
    static let candidatesMax = 100_000

    /// The maximum number of threads that evaluate geometric relations for queries that can take long. Further queries
    /// of this type wait for a thread. Other work does not wait.
    static let geometryThreadsMax = 2

    /// The maximum time in seconds that a query tests geometries before it yields its thread.
    static let geometrySliceSecondsMax = 0.05

    /// The maximum number of hits of a geospatial index that a query holds before it reads their documents.
    static let geometryHitsWaitingMax = 16_384

    /// The maximum number of results of a live query. A query with a limit may find more results, if the number of its
    /// skipped and shown results does not exceed this maximum.
    public static let liveRowsMax = 100_000

    /// The number of results that a live query with a limit holds in addition to the shown results, so that the query
    /// does not run again each time a result leaves.
    static let liveReserve = 100

    /// The maximum length of a bookmark in bytes.
    public static let bookmarkBytesMax = 100_000

    /// The maximum number of bytes of documents that one step of a query reads before it yields.
    public static let sliceBytesMax = 1 << 20
}
