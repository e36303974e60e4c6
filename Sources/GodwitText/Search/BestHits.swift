//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The first few hits behind a place. No more than twice as many are in memory.
struct BestHits {
    struct Candidate {
        let hit: SearchReader.Hit
        let place: SortedPlace
    }

    private let limit: Int
    private let start: SortedPlace
    private var candidates: [Candidate] = []

    init(limit: Int, after start: SortedPlace = SortedPlace()) {
        self.limit = limit
        self.start = start
    }

    mutating func add(_ candidate: Candidate) {
        guard start.precedes(candidate.place) else { return }
        candidates.append(candidate)
        if candidates.count > 2 * limit { candidates = sorted() }
    }

    func sorted() -> [Candidate] { Array(candidates.sorted { $0.place.precedes($1.place) }.prefix(limit)) }
}
