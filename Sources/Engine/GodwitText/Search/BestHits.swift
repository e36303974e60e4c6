//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Collects the first hits after a position. At most about twice as many hits as the limit are in memory.
struct BestHits {
    struct Candidate {
        let hit: SearchReader.Hit
        let position: SortPosition
    }

    private let limit: Int
    private let start: SortPosition
    private var candidates: [Candidate] = []

    init(limit: Int, after start: SortPosition = SortPosition()) {
        self.limit = limit
        self.start = start
    }

    mutating func add(_ candidate: Candidate) {
        guard start.precedes(candidate.position) else { return }
        candidates.append(candidate)
        if candidates.count > 2 * limit { candidates = sorted() }
    }

    func sorted() -> [Candidate] { Array(candidates.sorted { $0.position.precedes($1.position) }.prefix(limit)) }
}
