//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An immutable list of a database's indexes, valid until the next change of the list.
package final class IndexList: Sendable {
    /// The indexes of the database, complete or not.
    package let indexes: [IndexDescription]
    private let derivedValue = Mutex<(any AnyObject & Sendable)?>(nil)

    init(_ indexes: [IndexDescription]) { self.indexes = indexes }

    /// A value that is derived from the list. The list can hold only one such value, so all callers must derive the
    /// same value. The first call computes and caches it. It is released with the list.
    package func kept<Value: AnyObject & Sendable>(make: () throws -> Value) rethrows -> Value {
        if let cached = derivedValue.withLock({ $0 }) as? Value { return cached }
        let value = try make()
        derivedValue.withLock { $0 = value }
        return value
    }
}

/// A cache of a database's list of indexes, because each query needs it.
final class IndexListCache: Sendable {
    private struct State {
        var indexes: IndexList?
        /// The number of times that the cache was cleared. If the cache was cleared while a list was being read, the
        /// number has changed, and the list is not stored.
        var changes = 0
    }

    private let state = Mutex(State())

    /// Clears the cache. Called when the files are closed, and after each commit that changed the list. After a commit,
    /// it is called before the writers receive their results.
    func forget() {
        state.withLock { state in
            state.indexes = nil
            state.changes += 1
        }
    }

    /// The cached list. If the list is not cached, `read` reads it and it is cached.
    func all(read: () throws -> [IndexDescription]) rethrows -> IndexList {
        let (cached, changes) = state.withLock { ($0.indexes, $0.changes) }
        if let cached { return cached }
        let indexes = IndexList(try read())
        state.withLock { state in
            if state.changes == changes { state.indexes = indexes }
        }
        return indexes
    }
}
