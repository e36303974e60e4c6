//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

/// A callback with which SQLite checks whether a running statement may continue.
final class StatementWatch {
    private let mayGoOn: () -> Bool

    init(_ mayGoOn: @escaping () -> Bool) { self.mayGoOn = mayGoOn }

    /// The callback for `sqlite3_progress_handler`: a result other than 0 interrupts the statement.
    static let callback: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
        guard let context else { return 0 }
        return Unmanaged<StatementWatch>.fromOpaque(context).takeUnretainedValue().mayGoOn() ? 0 : 1
    }
}

extension SQLiteConnection {
    /// Interrupts the next statement after a number of SQLite's virtual instructions. Call this method before each
    /// statement of a file that may come from anywhere.
    package func limitSteps(_ stepsMax: Int) {
        var remaining = stepsMax / SQLiteConnection.stepsPerCheck
        ask(every: SQLiteConnection.stepsPerCheck) {
            remaining -= 1
            return remaining >= 0
        }
    }

    private static let stepsPerCheck = 10_000

    /// Sets a callback that decides repeatedly whether a running statement of this connection may continue. Replaces
    /// the previous callback.
    ///
    /// If the callback returns `false`, the statement fails with an error for which ``SQLiteError/isInterrupted`` is
    /// true. Use this method only for connections that only read, because an interrupted write rolls back the complete
    /// transaction.
    ///
    /// - Parameters:
    ///   - instructions: The number of SQLite's virtual instructions between two calls.
    ///   - mayGoOn: The callback. It runs on the thread that runs the statement.
    package func ask(every instructions: Int, mayGoOn: @escaping () -> Bool) {
        let watch = StatementWatch(mayGoOn)
        self.watch = watch
        sqlite3_progress_handler(
            handle, Int32(instructions), StatementWatch.callback, Unmanaged.passUnretained(watch).toOpaque())
    }
}
