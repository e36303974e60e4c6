//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Elements in the order in which they came, taken from the front in constant time.
package struct JobQueue<Element> {
    /// Elements that were taken and are still stored, above which they are removed.
    @inlinable static var takenMax: Int { 1_024 }

    @usableFromInline var stored: [Element] = []
    @usableFromInline var next = 0

    /// Creates an empty queue.
    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { next == stored.count }

    @inlinable package mutating func append(_ element: Element) { stored.append(element) }

    /// Takes the first element; `nil` when there is none.
    @inlinable
    package mutating func popFirst() -> Element? {
        guard next < stored.count else { return nil }
        let element = stored[next]
        next += 1
        if next == stored.count {
            stored.removeAll(keepingCapacity: stored.capacity <= Self.takenMax)
            next = 0
        } else if next >= Self.takenMax, next * 2 >= stored.count {
            // Under a load that never lets the queue run empty, what was taken must not stay in it.
            stored.removeFirst(next)
            next = 0
        }
        return element
    }
}
