//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where a document stands among the results: by what it is sorted by, then by the bytes of its id.
struct LivePosition: Comparable, Sendable {
    let key: [UInt8]
    let id: String

    static func == (left: Self, right: Self) -> Bool {
        left.key == right.key && left.id.utf8.elementsEqual(right.id.utf8)
    }

    static func < (left: Self, right: Self) -> Bool {
        if left.key == right.key { return left.id.utf8.lexicographicallyPrecedes(right.id.utf8) }
        return left.key.lexicographicallyPrecedes(right.key)
    }
}

extension RandomAccessCollection<LivePosition> where Index == Int {
    /// How many stand before a place.
    func count(before position: LivePosition) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low - startIndex
    }

    /// How far behind the first one a place stands; `nil` when it is not here.
    func offset(of position: LivePosition) -> Int? {
        let offset = count(before: position)
        return offset < count && self[startIndex + offset] == position ? offset : nil
    }
}

/// What of a document is shown, so that one version can be told from another without keeping it.
///
/// It is a hash of 128 bits under a key that this process made by chance, so that nobody can make two versions alike.
struct LiveVersion: Equatable, Sendable {
    private let halves: (Int, Int)

    /// - Parameter feed: Hands over what is shown.
    init(_ feed: (inout Hasher) -> Void) {
        func half(_ number: UInt8) -> Int {
            var hasher = Hasher()
            hasher.combine(number)
            feed(&hasher)
            return hasher.finalize()
        }
        halves = (half(0), half(1))
    }

    static func == (left: Self, right: Self) -> Bool { left.halves == right.halves }
}

/// A document among the results.
struct LiveState: Equatable, Sendable {
    /// What it is sorted by.
    let key: [UInt8]
    let version: LiveVersion
}

/// A document's state now.
struct LiveEvent: Sendable {
    let id: String
    /// `nil` when it is not, or no longer, what the query looks for.
    let state: LiveState?
}
