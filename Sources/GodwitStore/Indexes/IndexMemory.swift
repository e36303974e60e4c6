//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitThreads

/// The indexes of a database as they were between two changes of the list.
package final class IndexList: Sendable {
    package let indexes: [IndexDescription]
    private let kept = Mutex<(any AnyObject & Sendable)?>(nil)

    init(_ indexes: [IndexDescription]) { self.indexes = indexes }

    /// What the one reader of the list makes of it: made once, and gone with the list.
    package func kept<Value: AnyObject & Sendable>(make: () throws -> Value) rethrows -> Value {
        if let known = kept.withLock({ $0 }) as? Value { return known }
        let made = try make()
        kept.withLock { $0 = made }
        return made
    }
}

/// The list of a database's indexes, read from the file once after each change of it: each query asks for it.
final class IndexMemory: Sendable {
    private struct State {
        var indexes: IndexList?
        /// Grows with each change, so that what was read before one is not kept after it.
        var changes = 0
    }

    private let state = Mutex(State())

    /// Called after each commit that changed the list, before its writers are answered.
    func forget() {
        state.withLock { state in
            state.indexes = nil
            state.changes += 1
        }
    }

    /// What is known, or else read.
    func all(read: () throws -> [IndexDescription]) rethrows -> IndexList {
        let (known, changes) = state.withLock { ($0.indexes, $0.changes) }
        if let known { return known }
        let indexes = IndexList(try read())
        state.withLock { state in
            if state.changes == changes { state.indexes = indexes }
        }
        return indexes
    }
}
