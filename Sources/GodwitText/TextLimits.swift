//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of text indexes and of searches.
public enum TextLimits {
    /// The longest text query, in bytes of UTF-8.
    public static let queryBytesMax = 16_384
    /// The most words, phrases and ranges in a text query.
    public static let queryTermsMax = 256
    /// How deep the parentheses of a text query may be nested.
    public static let queryDepthMax = 24
    /// The most fields that a text index may name.
    public static let fieldsMax = 256
    /// How many fields of a text index over all fields have a column of their own; the others share one, and a query
    /// that names one of them looks at the documents too.
    public static let columnsMax = 64
    /// The most stop words that a text index may bring.
    public static let stopWordsMax = 2_048
    /// How many replaced texts an index remembers, for pages of searches that began before.
    public static let historyMax = 16_384
    /// The longest replaced text that is remembered, in bytes.
    public static let historyBytesMax = 8_192
    /// The longest place in the hits of a search, in bytes.
    public static let placeBytesMax = 16_384
    /// The most hits of one page of a search.
    public static let pageHitsMax = 1_000_000
    /// How many hits are looked at more closely together, where the index alone cannot tell.
    public static let checkedTogetherMax = 256
    /// The most fragments of one field that are highlighted.
    public static let fragmentsMax = 100
    /// The longest highlighted fragment, in characters.
    public static let fragmentLengthMax = 10_000
    /// The most values of one field that are counted.
    public static let facetValuesMax = 10_000
    /// The most hits whose values are counted.
    public static let facetHitsMax = 1_000_000
    /// The most hits of one page of ``Datastore/search(_:index:limit:bookmark:highlighting:)`` and of `_search`.
    public static let searchHitsMax = 200
    /// The most hits of a search that are sorted by fields.
    static let sortedHitsMax = 100_000
    /// The longest bookmark of a search, in bytes.
    static let bookmarkBytesMax = 100_000
    /// Bytes of documents that one step of a search reads before it gives its thread to others.
    static let sliceBytesMax = 1 << 20
    /// The most groups of one search.
    public static let searchGroupsMax = 200
    /// How many hits' documents a search looks at before it lets others run.
    static let searchSliceHitsMax = 500
    /// The most fields that one search sorts by, counts, drills down into, highlights or returns.
    public static let searchFieldsMax = 64
    /// How many bytes of a text decide its place where hits are sorted by it.
    public static let searchSortBytesMax = 256
}
