//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What queries and their indexes may cost.
public enum QueryLimits {
    /// The longest predicate format, in bytes of UTF-8.
    public static let predicateFormatBytesMax = 65_536

    /// Fields that one index may have.
    public static let indexFieldsMax = 64

    /// Elements of one array that an index has an entry for; an array with more is looked at whenever elements are
    /// asked for.
    public static let indexedElementsMax = 1_000

    /// Bytes of values that an index keeps of one document, so that a query for indexed fields reads no documents.
    public static let coveredBytesMax = 256

    /// Ranges of an index that one query may read; beyond, fewer fields restrict it and more documents are looked at.
    public static let rangesMax = 1_000

    /// Branches of an `$or` that are each read from an index; beyond, all documents are looked at.
    public static let branchesMax = 100

    /// Entries of an index that are counted to learn how well it serves a query.
    public static let countedEntriesMax = 200

    /// Documents that are sorted in memory where no index has the order.
    public static let sortedRowsMax = 100_000

    /// Results that a live query may have; of one with a limit, those that it shows and leaves out at the beginning.
    public static let liveRowsMax = 100_000

    /// Results that a live query with a limit holds beyond those that it shows, so that it need not be run again
    /// whenever one of them leaves.
    static let liveReserve = 100

    /// The longest bookmark, in bytes.
    public static let bookmarkBytesMax = 100_000

    /// Bytes of documents that one step of a query reads before it lets others run.
    public static let sliceBytesMax = 1 << 20

    /// How deep conditions, parentheses and negations may stand in each other in a predicate.
    public static let predicateDepthMax = 32
    /// How deep the types may stand in each other that are looked through for the name of a field.
    static let fieldProbeDepthMax = 16
}
