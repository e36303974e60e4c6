//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Limits for reading and writing files.
package enum ExchangeLimits {
    /// The maximum length of a record (a feature, a line, a row, a tag) in bytes.
    package static let recordBytesMax = 256 << 20

    /// The maximum nesting of elements in a GPX file.
    static let markupDepthMax = 1_000

    /// The maximum number of points in a segment of a track that is imported as one line.
    static let segmentPointsMax = 1_000_000

    /// The maximum number of columns of a table.
    static let columnsMax = 10_000

    /// The maximum length in bytes of the row that names a table's columns, if the delimiter is not given.
    static let headerBytesMax = 1 << 20

    /// The length in bytes of the first rows of a table in which decimal commas are looked for.
    static let sampleBytes = 256 << 10

    /// The maximum memory in bytes for the names and texts of all elements within one point of a GPX file, or within the
    /// extensions of one track or route.
    static let extensionBytesMax = 16 << 20

    /// The maximum nesting of elements within a point of a GPX file.
    static let extensionDepthMax = 32

    /// The maximum memory in bytes that a GPX export uses to sort the points of tracks and routes. It is enough for
    /// more than a million points.
    static let sortedBytesMax = 128 << 20

    /// The maximum number of documents in one write.
    package static let batchDocumentsMax = 500

    /// The number of bytes of records after which a batch is written. The last record of a batch may exceed this
    /// number.
    static let batchBytesMax = 4 << 20

    /// To find duplicates, the ids of a file are kept in memory. This is the maximum number of ids that are kept.
    static let idsRememberedMax = 6_000_000

    /// The maximum number of failures of an import or an export that are listed. All failures are counted.
    package static let failuresListedMax = 100

    /// The number of documents in the first page that an export reads, and the maximum number in a page.
    static let pageDocumentsFirst = 16
    static let pageDocumentsMax = 512

    /// The desired size of a page of documents in bytes.
    static let pageBytes = 4 << 20

    /// The number of bytes that are buffered before they are written to a file.
    static let writtenBytes = 256 << 10
}
