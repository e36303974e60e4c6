//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A document that a text query found.
package struct TextHit: Sendable, Equatable {
    /// The document's number for life.
    package let number: Int64
    /// The key of its row in `documents`.
    package let sequence: Int64
    /// The id under which it is stored.
    package let storedID: String
    /// How well it matches; comparable within one search alone.
    package let score: Double

    /// Whether this stands before another: the better one, and of equals the one that came first.
    func precedes(_ other: TextHit) -> Bool {
        score == other.score ? number < other.number : score > other.score
    }
}

/// Some hits of a search, in their order.
package struct TextPage: Sendable {
    /// The hits, the best first; of equals the one whose document came first.
    package let hits: [TextHit]
    /// All documents that match now; `nil` where that takes a look at each (``TextSearch/count()``).
    package let total: Int?
    /// What the search began with.
    let sequence: Int64
    let statistics: TextStatistics

    /// The place behind a hit of this page, from which another page goes on.
    package func position(after hit: TextHit) -> TextPosition {
        TextPosition(sequence: sequence, statistics: statistics, score: hit.score, number: hit.number)
    }
}
