//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of text indexes and of text searches.
public enum TextLimits {
    /// The maximum length of a text query in bytes of UTF-8.
    public static let queryBytesMax = 16_384
    /// The maximum number of words, phrases, ranges, field names and parentheses in a text query. For example,
    /// `title:fox` is counted as two.
    public static let queryTermsMax = 256
    /// The maximum nesting of parentheses in a text query.
    public static let queryDepthMax = 24
    /// The maximum number of fields that a text index may name.
    public static let fieldsMax = 256
    /// The maximum number of columns of a text index that covers all fields. Further fields share the last column, and
    /// a query that names one of them reads the candidates' documents.
    public static let columnsMax = 64
    /// The maximum number of stop words in a text index's definition.
    public static let stopWordsMax = 2_048
    /// The maximum number of replaced texts that an index stores for the later pages of running searches.
    public static let historyMax = 16_384
    /// The maximum length in bytes of a replaced text that is stored. A longer text is not stored.
    public static let historyBytesMax = 8_192
    /// The maximum length in bytes of a position in the hits of a search.
    public static let placeBytesMax = 16_384
    /// The maximum number of hits of one page of a text search.
    public static let pageHitsMax = 1_000_000
    /// The number of candidates that are tested together, if the index alone cannot decide.
    public static let checkedTogetherMax = 256
    /// The maximum number of highlighted fragments of one field.
    public static let fragmentsMax = 100
    /// The maximum length of a highlighted fragment in Unicode scalars. A longer match is not truncated.
    public static let fragmentLengthMax = 10_000
    /// The maximum number of distinct values of one field that are counted over all hits.
    public static let facetValuesMax = 10_000
    /// The maximum number of hits whose values are counted.
    public static let facetHitsMax = 1_000_000
    /// The maximum number of hits of one page of ``Datastore/search(_:index:limit:bookmark:highlighting:)`` and of
    /// `_search`.
    public static let searchHitsMax = 200
    /// The maximum number of hits of a search that are sorted by fields.
    static let sortedHitsMax = 100_000
    /// The maximum length of a search's bookmark in bytes.
    static let bookmarkBytesMax = 100_000
    /// The number of bytes of documents that one step of a search reads before it yields.
    static let sliceBytesMax = 1 << 20
    /// The maximum number of groups of one search.
    public static let searchGroupsMax = 200
    /// The number of hits whose documents a search reads before it yields.
    static let searchSliceHitsMax = 500
    /// The maximum number of fields that each parameter of a search may name: the fields to sort by, to count, to drill
    /// down into, to highlight or to return.
    public static let searchFieldsMax = 64
    /// The number of bytes of a string that are used for sorting hits.
    public static let searchSortBytesMax = 256
}
