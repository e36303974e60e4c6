//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A first-in, first-out queue. An element is removed from the front in amortized constant time.
package struct JobQueue<Element> {
    /// The array is shortened when two conditions are satisfied: it contains at least this number of removed elements,
    /// and at least half of its elements are removed elements. This number is also the maximum capacity that an empty
    /// queue keeps.
    @inlinable static var removedMax: Int { 1_024 }

    /// The removed elements that are still in the array, and the elements of the queue.
    @usableFromInline var elements: [Element] = []
    /// The index in `elements` of the first element of the queue.
    @usableFromInline var firstIndex = 0

    /// Creates an empty queue.
    @inlinable package init() {}

    /// Whether the queue has no elements.
    @inlinable package var isEmpty: Bool { firstIndex == elements.count }

    /// Adds an element at the end of the queue.
    @inlinable package mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the first element; `nil` if the queue is empty. A removed element remains in memory until
    /// the queue becomes empty or the array is shortened (``removedMax``).
    @inlinable
    package mutating func popFirst() -> Element? {
        guard firstIndex < elements.count else { return nil }
        let element = elements[firstIndex]
        firstIndex += 1
        if firstIndex == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= Self.removedMax)
            firstIndex = 0
        } else if firstIndex >= Self.removedMax, firstIndex * 2 >= elements.count {
            // Without this call, removed elements would accumulate in a queue that never becomes empty.
            elements.removeFirst(firstIndex)
            firstIndex = 0
        }
        invariant(firstIndex <= elements.count, "the first element of a queue is in its array")
        return element
    }
}
