//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// The read-only connections of one database.
///
/// A reader is lent to a closure, which runs on the caller's thread, because passing a read to another thread would
/// cost more than the read itself, or to a ``Snapshot`` of an answer in slices. The number of lent readers is the number
/// of threads that read at the same time and of these snapshots. Of the readers that are not lent, at most
/// `readersIdleMax` stay open.
final class ReaderPool: Sendable {
    struct Reader: Sendable {
        let connection: SQLiteConnection
        var cacheBytes: Int
    }

    private struct State {
        var idle: [Reader] = []
        var lentCount = 0
        /// The time of the last use. Its initial value is the current time, because a database that is opened is used
        /// immediately.
        var lastUse = Moment.now
        var isClosed = false
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let path: String
    private let disk: SQLiteDisk
    private let limits: StoreLimits
    private let cacheShare: @Sendable () -> Int
    private let admit: @Sendable () throws(StoreError) -> Void

    /// Creates a pool without connections.
    ///
    /// - Parameters:
    ///   - cacheShare: Returns the current page cache of one reader, in bytes.
    ///   - admit: Throws an error while no reader may be lent.
    init(
        path: String, disk: SQLiteDisk, limits: StoreLimits, cacheShare: @escaping @Sendable () -> Int,
        admit: @escaping @Sendable () throws(StoreError) -> Void
    ) {
        self.path = path
        self.disk = disk
        self.limits = limits
        self.cacheShare = cacheShare
        self.admit = admit
    }

    /// Runs `body` with a reader.
    ///
    /// - Parameter opened: Called after a connection was opened for the read.
    /// - Throws: The error that `body` throws, the error of opening a connection, or ``StoreError`` with code
    ///   ``StoreError/Code/closed``.
    func read<Result>(opened: () -> Void, _ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let reader = try borrow(opened: opened)
        defer { release(reader) }
        return try body(reader.connection)
    }

    /// The time when a reader was last lent, and whether one is lent now.
    var use: (last: Moment, isLent: Bool) { state.withLock { ($0.lastUse, $0.lentCount > 0) } }

    /// Whether the pool has open connections.
    var isOpen: Bool { state.withLock { $0.lentCount > 0 || !$0.idle.isEmpty } }

    /// Lends a reader until ``release(_:)``. See ``read(opened:_:)``.
    func borrow(opened: () -> Void) throws -> Reader {
        let bytes = cacheShare()
        let idle = try state.withLock { state throws(StoreError) -> Reader? in
            guard !state.isClosed else { throw .closed }
            try admit()
            state.lentCount += 1
            state.lastUse = .now
            return state.idle.popLast()
        }
        do {
            guard var idle else {
                let newReader = try open(cacheBytes: bytes)
                opened()
                return newReader
            }
            if idle.cacheBytes != bytes {
                try idle.connection.setCache(bytes: bytes)
                idle.cacheBytes = bytes
            }
            return idle
        } catch {
            release(nil)
            throw error
        }
    }

    private func open(cacheBytes: Int) throws -> Reader {
        let connection = try SQLiteConnection(path: path, access: .concurrentReader, disk: disk)
        try connection.configureReader(cacheBytes: cacheBytes)
        connection.spendCurrentBudget()
        return Reader(connection: connection, cacheBytes: cacheBytes)
    }

    /// Takes a lent reader back, which has no open transaction.
    ///
    /// - Parameter reader: The reader; `nil` if it could not be opened.
    func release(_ reader: Reader?) {
        if let reader, reader.cacheBytes < StoreLimits.cacheBytesKeptMin { reader.connection.releaseMemory() }
        let isKept = state.withLock { state in
            guard let reader, !state.isClosed, state.idle.count < limits.readersIdleMax else { return false }
            state.idle.append(reader)
            invariant(state.lentCount > 0, "a reader that returns was lent")
            state.lentCount -= 1
            return true
        }
        guard !isKept else { return }
        reader?.connection.close()
        // The reader is treated as lent until it is closed, because the writer must close only after all readers are
        // closed.
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            invariant(state.lentCount > 0, "a reader that returns was lent")
            state.lentCount -= 1
            guard state.isClosed, state.lentCount == 0 else { return [] }
            defer { state.closeWaiters = [] }
            return state.closeWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Closes the idle readers. The next read opens a new reader.
    func closeIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for reader in idle { reader.connection.close() }
    }

    /// Whether no further reader is lent.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Lends no further reader.
    func beginClosing() { state.withLock { $0.isClosed = true } }

    /// Closes the idle readers at once and the lent readers when they are returned. Returns when all are closed.
    func close() async {
        beginClosing()
        closeIdle()
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                invariant(state.isClosed && state.idle.isEmpty, "a closed pool keeps no reader")
                if state.lentCount > 0 { state.closeWaiters.append(continuation) }
                return state.lentCount == 0
            }
            if isDone { continuation.resume() }
        }
    }
}
