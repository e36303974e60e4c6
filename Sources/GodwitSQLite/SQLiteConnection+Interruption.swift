//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

/// A question that SQLite asks while a statement runs.
final class StatementWatch {
    private let mayGoOn: () -> Bool

    init(_ mayGoOn: @escaping () -> Bool) { self.mayGoOn = mayGoOn }

    /// What `sqlite3_progress_handler` calls: another value than 0 interrupts the statement.
    static let callback: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
        guard let context else { return 0 }
        return Unmanaged<StatementWatch>.fromOpaque(context).takeUnretainedValue().mayGoOn() ? 0 : 1
    }
}

extension SQLiteConnection {
    /// Asks again and again, while statements of this connection run, whether they may go on.
    ///
    /// A statement that may not go on fails with an error that ``SQLiteError/isInterrupted``. Use it for connections that only
    /// read: an interrupted write rolls the whole transaction back.
    ///
    /// - Parameters:
    ///   - instructions: SQLite's virtual instructions between two questions.
    ///   - mayGoOn: Called on the thread that runs the statement.
    package func ask(every instructions: Int, mayGoOn: @escaping () -> Bool) {
        let watch = StatementWatch(mayGoOn)
        self.watch = watch
        sqlite3_progress_handler(
            handle, Int32(instructions), StatementWatch.callback, Unmanaged.passUnretained(watch).toOpaque())
    }
}
