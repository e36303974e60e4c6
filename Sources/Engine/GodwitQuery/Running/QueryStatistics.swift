//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The cost of a query, in the terms of CouchDB's `execution_stats`.
package struct QueryStatistics: Sendable, Equatable {
    /// The number of index entries that were read.
    package var keysExamined = 0
    /// The number of documents that were read.
    package var documentsExamined = 0
    /// The number of documents that were returned.
    package var resultsReturned = 0
}
