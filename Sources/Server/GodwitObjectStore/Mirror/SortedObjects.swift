//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The objects of a container in the order of their names. The next object is already read (``next``).
struct SortedObjects {
    private var objects: ObjectSequence.Iterator
    private let container: String
    /// The next object; `nil` at the end.
    private(set) var next: ObjectInfo?

    init(_ store: any ObjectStore, _ container: String) async throws(ObjectError) {
        self.container = container
        objects = store.allObjects(in: container).makeAsyncIterator()
        next = try await objects.next()
    }

    /// Moves to the next object.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/badResponse`` if the list is not sorted. Only sorted
    ///   lists can be compared.
    mutating func advance() async throws(ObjectError) {
        let last = next
        next = try await objects.next()
        guard let last, let next, !(ExactText(last.name) < ExactText(next.name)) else { return }
        throw ObjectError(.badResponse, "The list of \(container) is not sorted by name, so it cannot be compared.")
    }
}
