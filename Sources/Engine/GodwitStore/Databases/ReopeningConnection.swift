//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// A connection that several threads use one after the other. It can be closed for a time, in which it cannot be used.
final class ReopeningConnection: Sendable {
    private struct State {
        var connection: SQLiteConnection?
        var isSuspended = false
        var isClosed = false
    }

    private let state: Mutex<State>
    private let open: @Sendable () throws -> SQLiteConnection

    /// - Parameters:
    ///   - opened: The connection, if it is open already.
    ///   - open: Opens the connection again.
    init(_ opened: SQLiteConnection? = nil, open: @escaping @Sendable () throws -> SQLiteConnection) {
        state = Mutex(State(connection: opened))
        self.open = open
    }

    /// Runs `body` with the connection.
    ///
    /// - Throws: The error that `body` or opening throws, or ``StoreError`` with code ``StoreError/Code/closed`` after
    ///   ``close()``, or ``StoreError/Code/suspended`` after ``suspend()``.
    func withLock<Result>(_ body: (SQLiteConnection) throws -> sending Result) throws -> sending Result {
        try state.withLock { state in
            guard !state.isClosed else { throw StoreError.closed }
            guard !state.isSuspended else { throw StoreError.suspended }
            let connection = try state.connection ?? open()
            state.connection = connection
            return try body(connection)
        }
    }

    /// Closes the connection until ``resume()``.
    func suspend() {
        state.withLock { state in
            state.connection?.close()
            (state.connection, state.isSuspended) = (nil, true)
        }
    }

    /// Allows the use of the connection, which opens then.
    func resume() { state.withLock { $0.isSuspended = false } }

    func close() {
        state.withLock { state in
            state.connection?.close()
            state = State(isClosed: true)
        }
    }
}
