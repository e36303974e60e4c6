//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A document that a text query found.
package struct TextHit: Sendable, Equatable {
    /// The document's permanent number.
    package let number: Int64
    /// The document's sequence, which is the key of its row in `documents`.
    package let sequence: Int64
    /// The stored id.
    package let storedID: String
    /// The relevance. Scores are comparable within one search only.
    package let score: Double

    /// Whether this hit ranks before another hit. The hit with the higher score is first. If both scores are equal, the
    /// hit with the lower number is first.
    func precedes(_ other: TextHit) -> Bool {
        score == other.score ? number < other.number : score > other.score
    }
}

/// A page of the hits of a search, in their order.
package struct TextPage: Sendable {
    /// The hits, the best first. Hits with equal scores are ordered by the creation of their documents.
    package let hits: [TextHit]
    /// The number of all documents that match now; `nil` if counting must read each document (``TextSearch/count()``).
    package let total: Int?
    /// The sequence at the start of the search.
    let sequence: Int64
    let statistics: TextStatistics

    /// Returns the position after a hit of this page, at which the next page starts.
    package func position(after hit: TextHit) -> TextPosition {
        TextPosition(sequence: sequence, statistics: statistics, score: hit.score, number: hit.number)
    }
}
