//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
/// The list of a database's indexes, read from the file once after each change of it: each query asks for it.
final class IndexMemory: Sendable {
    private struct State {
        var indexes: [IndexDescription]?
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
    func all(read: () throws -> [IndexDescription]) rethrows -> [IndexDescription] {
        let (known, changes) = state.withLock { ($0.indexes, $0.changes) }
        if let known { return known }
        let indexes = try read()
        state.withLock { state in
            if state.changes == changes { state.indexes = indexes }
        }
        return indexes
    }
}
