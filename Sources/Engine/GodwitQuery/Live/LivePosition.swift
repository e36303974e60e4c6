//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The position of a document in the results: its sort key, then the bytes of its id.
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
    /// Returns the number of positions before a position.
    func count(before position: LivePosition) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low - startIndex
    }

    /// Returns the offset of a position; `nil` when the collection does not contain it.
    func offset(of position: LivePosition) -> Int? {
        let offset = count(before: position)
        return offset < count && self[startIndex + offset] == position ? offset : nil
    }
}

/// A fingerprint of a document's shown content, which distinguishes versions without storing them.
///
/// The fingerprint is a 128-bit hash with a random key of this process, so that a writer cannot construct two versions
/// with equal hashes.
struct LiveVersion: Equatable, Sendable {
    private let halves: (Int, Int)

    /// - Parameter feed: Passes the shown content of the document to the hasher.
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

/// The state of a document in the results.
struct LiveState: Equatable, Sendable {
    /// The sort key.
    let key: [UInt8]
    let version: LiveVersion
}

/// The current state of a document.
struct LiveEvent: Sendable {
    let id: String
    /// The state; `nil` when the document is not in the results.
    let state: LiveState?
}
