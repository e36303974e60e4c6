//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The part of a container to list.
public struct ObjectPage: Equatable, Sendable {
    /// The text with which the listed names begin.
    public var prefix: String
    /// The text that separates levels, often `/`. If several names are equal from the beginning to the first delimiter
    /// after ``prefix``, they are listed as one common prefix. If the delimiter is `nil`, all names are listed.
    public var delimiter: String?
    /// The name or common prefix after which the page begins; `nil` for the first page.
    public var after: String?
    /// The largest number of objects and common prefixes in a page. A service may return fewer of them even if further
    /// pages follow.
    public var countMax: Int

    /// Creates a page.
    public init(prefix: String = "", delimiter: String? = nil, after: String? = nil, countMax: Int = 1_000) {
        self.prefix = prefix
        self.delimiter = delimiter
        self.after = after
        self.countMax = countMax
    }
}

/// A page of the objects of a container.
public struct ObjectList: Equatable, Sendable {
    /// The objects, in ascending order of their names.
    public let objects: [ObjectInfo]
    /// The common prefixes, in ascending order. Each ends with the delimiter.
    public let prefixes: [String]
    /// The value of ``ObjectPage/after`` for the next page; `nil` on the last page.
    public let next: String?

    /// Creates a list.
    public init(objects: [ObjectInfo], prefixes: [String] = [], next: String? = nil) {
        self.objects = objects
        self.prefixes = prefixes
        self.next = next
    }
}

/// All objects of a container whose names begin with a prefix. They are fetched page by page.
public struct ObjectSequence: AsyncSequence, Sendable {
    let store: any ObjectStore
    let container: String
    let prefix: String

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(store: store, container: container, page: ObjectPage(prefix: prefix))
    }

    /// The iterator over the objects.
    public struct Iterator: AsyncIteratorProtocol {
        let store: any ObjectStore
        let container: String
        /// The next page; `nil` after the last page.
        var page: ObjectPage?
        private var waiting: [ObjectInfo] = []

        init(store: any ObjectStore, container: String, page: ObjectPage) {
            self.store = store
            self.container = container
            self.page = page
        }

        /// Returns the next object; `nil` after the last object.
        public mutating func next() async throws(ObjectError) -> ObjectInfo? {
            while waiting.isEmpty, let current = page {
                let list = try await store.objects(in: container, current)
                waiting = list.objects.reversed()
                page = list.next.map { next in
                    var page = current
                    page.after = next
                    return page
                }
            }
            return waiting.popLast()
        }
    }
}
