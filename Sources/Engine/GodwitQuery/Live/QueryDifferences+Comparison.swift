//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension QueryDifferences {
    /// Compares two lists of positions. Only two groups of documents are examined: documents that changed, and
    /// documents that entered or left at an end of the list because other documents moved them.
    ///
    /// - Parameters:
    ///   - earlier: The earlier list.
    ///   - current: The new list.
    ///   - touched: The earlier states of the documents that changed.
    ///   - state: Returns the current state of a document.
    init(
        from earlier: [LivePosition], to current: ArraySlice<LivePosition>, touched: [ExactText: LiveState?],
        state: (ExactText) -> LiveState?
    ) {
        var moves: [(move: Move, differs: Bool)] = []
        for (id, old) in touched {
            let new = state(id)
            let from = old.flatMap { earlier.offset(of: LivePosition(key: $0.key, id: id.text)) }
            let to = new.flatMap { current.offset(of: LivePosition(key: $0.key, id: id.text)) }
            switch (from, to) {
            case (let from?, let to?):
                let differs = old?.version != new?.version
                if old?.key != new?.key {
                    moves.append((Move(from: from, to: to), differs))
                } else if differs {
                    changed.append(to)
                }
            case (let from?, nil): left.append(from)
            case (nil, let to?): entered.append(to)
            case (nil, nil): break
            }
        }
        left += Self.strays(of: earlier[...], outside: current, touched: touched)
        entered += Self.strays(of: current, outside: earlier[...], touched: touched)
        left.sort()
        entered.sort()
        classifyMoves(moves)
        moved.sort { $0.to < $1.to }
        changed.sort()
    }

    /// Returns unchanged documents that are in one of the two lists and not in the other. The order of unchanged
    /// documents is the same in both lists, so these documents are at the beginning or at the end of their list.
    private static func strays(
        of list: ArraySlice<LivePosition>, outside other: ArraySlice<LivePosition>,
        touched: [ExactText: LiveState?]
    ) -> [Int] {
        func strays(_ indexes: some Sequence<Int>) -> [Int] {
            let untouched = indexes.lazy.filter { touched[ExactText(list[$0].id)] == nil }
            return Array(untouched.prefix { other.offset(of: list[$0]) == nil })
        }
        let first = strays(list.indices)
        let rest = (first.last.map { $0 + 1 } ?? list.startIndex)..<list.endIndex
        return (first + strays(rest.reversed())).map { $0 - list.startIndex }
    }

    /// Determines which of the documents with new sort keys have moved relative to the documents that stayed.
    private mutating func classifyMoves(_ moves: [(move: Move, differs: Bool)]) {
        let moves = moves.sorted { $0.move.to < $1.move.to }
        let sources = (left + moves.map(\.move.from)).sorted()
        let targets = (entered + moves.map(\.move.to)).sorted()
        // A document can be treated as not moved if the number of unmoved documents before it is equal in both lists.
        let candidates = moves.indices.filter { index in
            let move = moves[index].move
            return move.from - sources.count(below: move.from) == move.to - targets.count(below: move.to)
        }
        let staying = Set(candidates.longestRise { moves[$0].move.from })
        for (index, (move, differs)) in moves.enumerated() {
            if !staying.contains(index) {
                moved.append(move)
            } else if differs {
                changed.append(move.to)
            }
        }
    }
}

extension [Int] {
    /// Returns the number of elements of a sorted list that are less than a number.
    fileprivate func count(below number: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns a longest subsequence whose ranks increase.
    fileprivate func longestRise(_ rank: (Int) -> Int) -> [Int] {
        // `lastIndexes` contains, for each length, the index of the lowest element with which a subsequence of this
        // length can end. `previousIndexes` contains, for each index, the index of the previous element in its
        // subsequence.
        var (lastIndexes, previousIndexes): ([Int], [Int?]) = ([], [])
        for index in indices {
            let length = lastIndexes.map { rank(self[$0]) }.count(below: rank(self[index]))
            previousIndexes.append(length > 0 ? lastIndexes[length - 1] : nil)
            if length == lastIndexes.count { lastIndexes.append(index) } else { lastIndexes[length] = index }
        }
        var (reversedRise, nextIndex): ([Int], Int?) = ([], lastIndexes.last)
        while let index = nextIndex {
            reversedRise.append(self[index])
            nextIndex = previousIndexes[index]
        }
        return reversedRise.reversed()
    }
}
