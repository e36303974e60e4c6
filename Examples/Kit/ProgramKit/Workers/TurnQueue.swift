//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A queue of elements that wait. Each element has an owner, and the owners take turns.
public struct TurnQueue<Element> {
    private var elements: [String: [Element]] = [:]
    /// The owners with waiting elements, in the order of their turns.
    private var turns: [String] = []
    private let waitingMax: Int
    private let waitingPerOwnerMax: Int
    /// The number of elements that wait.
    public private(set) var count = 0

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - waitingMax: The maximum number of elements of all owners.
    ///   - waitingPerOwnerMax: The maximum number of elements of one owner.
    public init(waitingMax: Int, waitingPerOwnerMax: Int) {
        (self.waitingMax, self.waitingPerOwnerMax) = (waitingMax, waitingPerOwnerMax)
    }

    /// Adds an element. Returns `false`, and does not add it, if too many elements of this owner or of all owners wait.
    public mutating func append(_ element: Element, for owner: String) -> Bool {
        let ownCount = elements[owner]?.count ?? 0
        guard ownCount < waitingPerOwnerMax, count < waitingMax else { return false }
        if ownCount == 0 { turns.append(owner) }
        elements[owner, default: []].append(element)
        count += 1
        return true
    }

    /// Removes and returns the first element of the owner whose turn it is; `nil` if no element waits.
    public mutating func next() -> Element? {
        guard !turns.isEmpty else { return nil }
        let owner = turns.removeFirst()
        guard var own = elements[owner], !own.isEmpty else { return nil }
        let element = own.removeFirst()
        elements[owner] = own.isEmpty ? nil : own
        if !own.isEmpty { turns.append(owner) }
        count -= 1
        return element
    }

    /// Removes and returns the first of an owner's elements that satisfies a condition; `nil` if no element of the
    /// owner satisfies it.
    public mutating func remove(of owner: String, where isMeant: (Element) -> Bool) -> Element? {
        guard var own = elements[owner], let index = own.firstIndex(where: isMeant) else { return nil }
        let element = own.remove(at: index)
        elements[owner] = own.isEmpty ? nil : own
        if own.isEmpty { turns.removeAll { $0 == owner } }
        count -= 1
        return element
    }
}
