//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What reading and writing files is bounded by.
package enum ExchangeLimits {
    /// The longest record of a file: a feature, a line, a row, a tag. In bytes.
    package static let recordBytesMax = 256 << 20

    /// Elements of a GPX file that stand inside each other.
    static let markupDepthMax = 1_000

    /// The points of one segment that becomes one line.
    static let segmentPointsMax = 1_000_000

    /// Columns of a table.
    static let columnsMax = 10_000

    /// Documents that are written together.
    static let batchDocumentsMax = 500

    /// Bytes of a file whose documents are written together, the last one going beyond.
    static let batchBytesMax = 4 << 20

    /// Ids of a file that are remembered, to find those that occur twice.
    static let idsRememberedMax = 6_000_000

    /// Failures of an import that are told one by one; others are counted.
    package static let failuresListedMax = 100

    /// Documents that are read together at first, and at the most.
    static let pageDocumentsFirst = 16
    static let pageDocumentsMax = 512

    /// What the documents read together should come to, in bytes.
    static let pageBytes = 4 << 20

    /// What is gathered before it is written to a file, in bytes.
    static let writtenBytes = 256 << 10
}
