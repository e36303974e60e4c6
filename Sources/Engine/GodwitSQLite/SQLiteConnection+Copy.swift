//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPageCipher
import CSQLite

extension SQLiteConnection {
    /// Writes the complete database to a new file. The new file can have another key, or no encryption. The connection
    /// must not have an open transaction. Removes the callback of ``ask(every:mayGoOn:)``.
    ///
    /// - Parameters:
    ///   - path: The path of an empty file. The written data is not flushed.
    ///   - disk: The disk interface of the new file.
    ///   - step: A closure that is called repeatedly while the file is written.
    package func copy(to path: String, on disk: SQLiteDisk, step: () -> Void = {}) throws(SQLiteError) {
        try withoutActuallyEscaping(step) { step throws(SQLiteError) in
            let steps = Steps(step)
            let context = Unmanaged.passUnretained(steps).toOpaque()
            sqlite3_progress_handler(
                handle, Steps.instructions,
                { context in
                    Unmanaged<Steps>.fromOpaque(context!).takeUnretainedValue().step()
                    return 0
                }, context)
            defer { sqlite3_progress_handler(handle, 0, nil, nil) }
            try copy(to: path, on: disk)
        }
    }

    private final class Steps {
        /// The number of SQLite's virtual instructions between two calls of `step`. Each copied row needs a few
        /// instructions.
        static let instructions: Int32 = 20_000
        let step: () -> Void

        init(_ step: @escaping () -> Void) { self.step = step }
    }

    private func copy(to path: String, on disk: SQLiteDisk) throws(SQLiteError) {
        if disk.cipher != nil { reserveForCipher() }
        let statement = try statement(composed: "VACUUM INTO ?1")
        statement.bind(SQLiteConnection.address(of: path, ["vfs": disk.name]), at: 1)
        try statement.run()
    }

    /// Copies pages from the file of another encrypted database, encrypts them with the key of this database, and
    /// flushes them. The pages are read and written without the caches and the logs of the databases. Therefore, no
    /// other code may write to either file during the call.
    ///
    /// - Parameter pages: The numbers of the pages, from 1 on.
    package func takePages(_ pages: ClosedRange<Int>, of source: SQLiteConnection) throws(SQLiteError) {
        let code = pagecipher_copy_pages(
            UnsafeMutableRawPointer(source.handle), UnsafeMutableRawPointer(handle), UInt32(pages.lowerBound),
            UInt32(pages.count))
        guard code == SQLITE_OK else { throw SQLiteError(code: code, operation: "copying pages", handle: nil) }
    }
}
