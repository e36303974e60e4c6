//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a query cost, in the words of CouchDB's `execution_stats`.
package struct QueryStatistics: Sendable, Equatable {
    /// Entries of indexes that were read.
    package var keysExamined = 0
    /// Documents that were read.
    package var documentsExamined = 0
    /// Documents that were found.
    package var resultsReturned = 0
}
