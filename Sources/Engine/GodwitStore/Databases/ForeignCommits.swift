//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// Finds the commits that another process makes to a database file. The connection opens when it is needed, and closes
/// while the manager is suspended.
final class ForeignCommits: Sendable {
    private struct State {
        var connection: SQLiteConnection?
        /// SQLite's number for the state that was read last. It changes with each commit of another connection.
        var version: Int?
    }

    private let file: DatabaseFile
    /// The identifier that the catalogue has for the database.
    let instance: String?
    private let state = Mutex(State())

    init(of file: DatabaseFile, instance: String?) { (self.file, self.instance) = (file, instance) }

    /// Runs `body` with the connection. ``next()`` returns the commits that follow.
    func read<Result>(_ body: (SQLiteConnection) throws -> sending Result) throws -> sending Result {
        try state.withLock { state in
            let connection = try ForeignCommits.connection(of: file, &state)
            state.version = try connection.integer("PRAGMA data_version")
            return try body(connection)
        }
    }

    /// Returns the state after the last commit; `nil` if there was none since the last call.
    func next() throws -> (DatabaseState, DatabaseIdentity)? {
        try state.withLock { state in
            let connection = try ForeignCommits.connection(of: file, &state)
            let version = try connection.integer("PRAGMA data_version")
            guard version != state.version else { return nil }
            state.version = version
            return try DatabaseState.read(from: connection)
        }
    }

    private static func connection(of file: DatabaseFile, _ state: inout State) throws -> SQLiteConnection {
        if let connection = state.connection { return connection }
        let connection = try file.openFollower()
        (state.connection, state.version) = (connection, nil)
        return connection
    }

    /// Whether the connection is open.
    var isOpen: Bool { state.withLock { $0.connection != nil } }

    /// Closes the connection until the next use.
    func suspend() {
        state.withLock { state in
            state.connection?.close()
            state.connection = nil
        }
    }
}
