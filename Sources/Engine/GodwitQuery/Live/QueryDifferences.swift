//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The differences between two successive results of a query.
///
/// Each document that differs is in one of the four lists. To update the earlier list, first remove the documents at
/// the positions in ``left`` and at the positions ``Move/from`` of ``moved``. After that, insert, in ascending order of
/// positions, the documents in ``entered`` and the documents at the positions ``Move/to`` of ``moved``. Finally,
/// replace the documents in ``changed``.
public struct QueryDifferences: Equatable, Sendable {
    /// A document that has moved relative to the documents that did not move.
    public struct Move: Equatable, Sendable {
        /// The position in the earlier list.
        public let from: Int
        /// The position in the new list.
        public let to: Int

        package init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// The positions of the documents that left the results, in the earlier list, ascending.
    public package(set) var left: [Int] = []
    /// The positions of the documents that entered the results, in the new list, ascending.
    public package(set) var entered: [Int] = []
    /// The documents that changed and moved relative to the documents that did not move, ascending by their new
    /// positions.
    public package(set) var moved: [Move] = []
    /// The positions of the documents that changed and did not move, in the new list, ascending.
    public package(set) var changed: [Int] = []

    /// Creates differences between equal results: no document left, entered, moved or changed.
    package init() {}

    /// Whether the results are equal.
    public var isEmpty: Bool { left.isEmpty && entered.isEmpty && moved.isEmpty && changed.isEmpty }

    /// The positions of all documents that entered, moved or changed, in the new list, ascending.
    package var written: [Int] { (entered + moved.map(\.to) + changed).sorted() }
}

extension QueryDifferences {
    /// Returns the new list, given the earlier list.
    ///
    /// - Parameter element: Returns the element at a position of the new list. It is called for each document that
    ///   entered, moved or changed.
    package func applied<Element>(to earlier: [Element], element: (Int) throws -> Element) rethrows -> [Element] {
        let staying = earlier.removing((left + moved.map(\.from)).sorted())
        let incoming = try (entered + moved.map(\.to)).sorted().map { (position: $0, element: try element($0)) }
        var list = staying.inserting(incoming)
        for position in changed { list[position] = try element(position) }
        return list
    }
}

extension Array {
    /// Returns the array without the elements at some positions, which must be ascending.
    func removing(_ positions: [Int]) -> [Element] {
        guard !positions.isEmpty else { return self }
        var list: [Element] = []
        list.reserveCapacity(count - positions.count)
        var nextIndex = 0
        for position in positions {
            list += self[nextIndex..<position]
            nextIndex = position + 1
        }
        list += self[nextIndex...]
        return list
    }

    /// Returns the array with further elements at their positions in the new array, which must be ascending.
    func inserting(_ elements: [(position: Int, element: Element)]) -> [Element] {
        guard !elements.isEmpty else { return self }
        var list: [Element] = []
        list.reserveCapacity(count + elements.count)
        var nextIndex = 0
        for (position, element) in elements {
            let end = nextIndex + position - list.count
            list += self[nextIndex..<end]
            list.append(element)
            nextIndex = end
        }
        list += self[nextIndex...]
        return list
    }
}
