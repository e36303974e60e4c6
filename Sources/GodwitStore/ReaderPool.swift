//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// The read-only connections of one database.
///
/// A reader is borrowed for the length of a closure, on the caller's own thread: handing a read to another thread costs
/// more than the read. There are as many readers as threads that read at once; `readersIdleMax` of them stay open.
final class ReaderPool: Sendable {
    private struct State {
        var idle: [SQLiteConnection] = []
        var lent = 0
        var isClosed = false
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let path: String
    private let limits: StoreLimits

    init(path: String, limits: StoreLimits) {
        self.path = path
        self.limits = limits
    }

    /// Lends a reader to `body`.
    func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let reader = try borrow()
        defer { giveBack(reader) }
        return try body(reader)
    }

    private func borrow() throws -> SQLiteConnection {
        let idle = try state.withLock { state throws(StoreError) -> SQLiteConnection? in
            guard !state.isClosed else { throw .closed }
            state.lent += 1
            return state.idle.popLast()
        }
        if let idle { return idle }
        do {
            let made = try SQLiteConnection(path: path, access: .readOnly)
            try made.configureReader(cacheBytes: limits.readerCacheBytes)
            return made
        } catch {
            giveBack(nil)
            throw error
        }
    }

    private func giveBack(_ reader: SQLiteConnection?) {
        let isKept = state.withLock { state in
            guard let reader, !state.isClosed, state.idle.count < limits.readersIdleMax else { return false }
            state.idle.append(reader)
            state.lent -= 1
            return true
        }
        guard !isKept else { return }
        reader?.close()
        // Counted as lent until it is closed: the writer must be the last to close.
        let closing = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.lent -= 1
            guard state.isClosed, state.lent == 0 else { return [] }
            defer { state.closing = [] }
            return state.closing
        }
        for waiter in closing { waiter.resume() }
    }

    /// Closes the readers; those that are lent, when they come back. Returns when all are closed.
    func close() async {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for reader in idle { reader.close() }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.lent > 0 { state.closing.append(continuation) }
                return state.lent == 0
            }
            if isDone { continuation.resume() }
        }
    }
}
