//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A first-in, first-out queue. An element is removed from the front in amortized constant time.
package struct JobQueue<Element> {
    /// The number of removed elements that may stay in `stored` before it is shortened.
    @inlinable static var takenMax: Int { 1_024 }

    @usableFromInline var stored: [Element] = []
    @usableFromInline var next = 0

    /// Creates an empty queue.
    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { next == stored.count }

    @inlinable package mutating func append(_ element: Element) { stored.append(element) }

    /// Removes and returns the first element; `nil` if the queue is empty.
    @inlinable
    package mutating func popFirst() -> Element? {
        guard next < stored.count else { return nil }
        let element = stored[next]
        next += 1
        if next == stored.count {
            stored.removeAll(keepingCapacity: stored.capacity <= Self.takenMax)
            next = 0
        } else if next >= Self.takenMax, next * 2 >= stored.count {
            // If the queue never becomes empty, removed elements must not accumulate.
            stored.removeFirst(next)
            next = 0
        }
        return element
    }
}
