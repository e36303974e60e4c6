//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How the results of a query differ from those before.
///
/// A document that differs stands in one of the four lists. Whoever has the earlier list gets the new one by taking out
/// what ``left`` and where ``moved`` came from, and then putting in, from the first place to the last, what ``entered``
/// and where ``moved`` went to.
public struct QueryDifferences: Equatable, Sendable {
    /// A document that stands elsewhere among those that stayed.
    public struct Move: Equatable, Sendable {
        /// Its place in the earlier list.
        public let from: Int
        /// Its place in the new list.
        public let to: Int

        package init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// Places in the earlier list of documents that are no longer among the results, ascending.
    public package(set) var left: [Int] = []
    /// Places in the new list of documents that were not among the results, ascending.
    public package(set) var entered: [Int] = []
    /// Documents that changed so that they stand elsewhere among those that stayed, by their new places, ascending.
    public package(set) var moved: [Move] = []
    /// Places in the new list of documents that changed and did not move, ascending.
    public package(set) var changed: [Int] = []

    package init() {}

    /// Whether there are none.
    public var isEmpty: Bool { left.isEmpty && entered.isEmpty && moved.isEmpty && changed.isEmpty }

    /// The places in the new list of all documents that are not as they were, ascending.
    package var written: [Int] { (entered + moved.map(\.to) + changed).sorted() }
}

extension QueryDifferences {
    /// Makes the new list of the earlier one.
    ///
    /// - Parameter element: What stands at a place of the new list, asked of each that entered, moved or changed.
    package func applied<Element>(to earlier: [Element], element: (Int) throws -> Element) rethrows -> [Element] {
        let staying = earlier.removing((left + moved.map(\.from)).sorted())
        let incoming = try (entered + moved.map(\.to)).sorted().map { (position: $0, element: try element($0)) }
        var list = staying.inserting(incoming)
        for position in changed { list[position] = try element(position) }
        return list
    }
}

extension Array {
    /// The list without what stands at some places, which ascend.
    func removing(_ places: [Int]) -> [Element] {
        guard !places.isEmpty else { return self }
        var list: [Element] = []
        list.reserveCapacity(count - places.count)
        var next = 0
        for position in places {
            list += self[next..<position]
            next = position + 1
        }
        list += self[next...]
        return list
    }

    /// The list with further elements at their places in the new list, which ascend.
    func inserting(_ elements: [(position: Int, element: Element)]) -> [Element] {
        guard !elements.isEmpty else { return self }
        var list: [Element] = []
        list.reserveCapacity(count + elements.count)
        var next = 0
        for (position, element) in elements {
            let end = next + position - list.count
            list += self[next..<end]
            list.append(element)
            next = end
        }
        list += self[next...]
        return list
    }
}
