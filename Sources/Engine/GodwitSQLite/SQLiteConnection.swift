//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPageCipher
import CSQLite

/// One connection to a database file, with its prepared statements.
///
/// A connection is used by one thread at a time: the writer's queue and the reader pool ensure this. Therefore,
/// SQLite's own mutexes are off.
package final class SQLiteConnection: @unchecked Sendable {
    // Proof of `Sendable`: a connection has one user at a time (`ReaderPool` lends it under a lock, the writer runs one
    // job at a time), and both transfer it with a happens-before relation.

    /// The access of a connection to its file.
    package enum Access: Sendable {
        /// Reads and writes. Creates the file if `creating` is true.
        case readWrite(creating: Bool)
        /// Reads only. Fails if the file is absent.
        case readOnly
        /// Reads a file while another connection writes it. ``configureReader(cacheBytes:)`` rejects statements that
        /// would write. The file is opened for reading and writing: with read-only access, the first concurrent reader
        /// would treat the log's index as the index of another process. If the connection closes last, the log remains.
        case concurrentReader
        /// Reads a file that no connection writes. The connection takes no locks, does not read the log of the file,
        /// and creates no other files.
        case readOnlyAtRest
        /// As ``readOnlyAtRest``, for a format whose files may contain views. A view can be a query that never ends, so
        /// use ``ask(every:mayGoOn:)`` too.
        case readOnlyWithViews
    }

    let handle: OpaquePointer

    /// The disk interface of the file. Its cipher must exist as long as the connection.
    private let disk: SQLiteDisk

    /// The length of the write-ahead log after the last commit of this connection, in pages; 0 after a complete
    /// checkpoint. The pages are counted only on a connection that ``configureWriter(synchronous:cacheBytes:)``
    /// configured.
    package internal(set) var logPages = 0

    private var statements: [UnsafeRawPointer: SQLiteStatement] = [:]
    private var composedStatements: [String: SQLiteStatement] = [:]
    private var numberedStatements: [NumberedForm: SQLiteStatement] = [:]

    /// The maximum number of statements in each of the caches `composedStatements` and `numberedStatements`. A full
    /// cache is emptied before a statement is added.
    private static let composedStatementsMax = 200

    /// The names of the extensions that are registered with this connection.
    var extensions: Set<String> = []

    /// The interruption callback, kept alive as long as the connection uses it.
    var watch: StatementWatch?

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - path: The path of a file, or `:memory:`.
    ///   - access: The access to the file.
    ///   - disk: The disk interface of the file.
    /// - Throws: ``SQLiteError`` if the file cannot be opened, or does not match the key.
    package init(path: String, access: Access, disk: SQLiteDisk = .system) throws(SQLiteError) {
        SQLiteMemory.prepare()
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch access {
        case .readWrite(let creating): flags |= SQLITE_OPEN_READWRITE | (creating ? SQLITE_OPEN_CREATE : 0)
        case .concurrentReader: flags |= SQLITE_OPEN_READWRITE
        case .readOnly, .readOnlyAtRest, .readOnlyWithViews: flags |= SQLITE_OPEN_READONLY
        }
        flags |= SQLITE_OPEN_URI
        var opened: OpaquePointer?
        let name = SQLiteConnection.address(of: path, access)
        let code = sqlite3_open_v2(name, &opened, flags, disk.name)
        guard code == SQLITE_OK, let opened else {
            let error = SQLiteError(code: code, operation: "opening \(path)", handle: opened)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        self.disk = disk
        godwit_sqlite_restrict(handle, access.allowsViews ? 1 : 0)
        if case .concurrentReader = access { godwit_sqlite_keep_log(handle) }
        if let cipher = disk.cipher { reserveForCipher(cipher.version) }
        sqlite3_busy_timeout(handle, SQLiteConnection.busyMilliseconds)
    }

    private static func address(of path: String, _ access: Access) -> String {
        guard path != ":memory:" else { return path }
        return switch access {
        case .readOnlyAtRest, .readOnlyWithViews: address(of: path, ["immutable": "1"])
        default: address(of: path, [:])
        }
    }

    /// The URI of a file (SQLite, "Uniform Resource Identifiers").
    static func address(of path: String, _ parameters: KeyValuePairs<String, String>) -> String {
        let escaped = path.utf8.reduce(into: [UInt8]()) { bytes, byte in
            switch byte {
            case UInt8(ascii: "%"): bytes += Array("%25".utf8)
            case UInt8(ascii: "?"): bytes += Array("%3F".utf8)
            case UInt8(ascii: "#"): bytes += Array("%23".utf8)
            default: bytes.append(byte)
            }
        }
        let authority = escaped.first == UInt8(ascii: "/") ? "//" : ""
        let query = parameters.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        return "file:\(authority)\(String(decoding: escaped, as: UTF8.self))?\(query)"
    }

    /// The time that a connection waits for another connection's lock, in milliseconds.
    ///
    /// Although there is only one writer, a reader may hold the lock that the writer needs: if a reader finds that the
    /// log's index is written incompletely, it takes the writer's lock for a moment and reads the index again (SQLite's
    /// `walIndexReadHdr`).
    static let busyMilliseconds: Int32 = 5_000

    /// The version of the linked SQLite library.
    package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

    deinit { close() }

    private(set) var isClosed = false

    /// Finalizes the cached statements and closes the file. After this call, ``execute(_:)`` and the methods that
    /// prepare statements throw an error.
    ///
    /// Statements of ``statement(of:form:_:)`` that are no longer in the cache of composed statements are released, but
    /// not finalized by this method. Each of them is finalized when its last reference is released.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        for statement in statements.values { statement.finalize() }
        for statement in composedStatements.values { statement.finalize() }
        statements.removeAll()
        composedStatements.removeAll()
        numberedStatements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Reserves bytes at the end of each page for the cipher's data, in a database without pages and in the copy that
    /// `VACUUM INTO` creates. Existing pages are not changed.
    package func reserveForCipher(_ version: PageCipher.Version = .sqlCipher4) {
        var bytes = Int32(pagecipher_reserved_bytes(version.code))
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes)
    }

    /// Runs statements without parameters, and ignores their rows: schema changes, pragmas.
    package func execute(_ sql: String) throws(SQLiteError) {
        guard !isClosed else { throw .closed }
        try check(sqlite3_exec(handle, sql, nil, nil, nil), "running \(sql.prefix(60))")
    }

    /// The prepared statement for a literal, compiled at its first use and cached.
    ///
    /// The key of the cache is the address of the literal. Therefore, a lookup hashes eight bytes and compares no text.
    package func statement(_ sql: StaticString) throws(SQLiteError) -> SQLiteStatement {
        let key = UnsafeRawPointer(sql.utf8Start)
        if let cached = statements[key] { return cached }
        let newStatement = try SQLiteStatement(
            preparing: UnsafeBufferPointer(start: sql.utf8Start, count: sql.utf8CodeUnitCount), on: self)
        statements[key] = newStatement
        return newStatement
    }

    /// The prepared statement for a composed text, for example with the name of an index's table.
    ///
    /// Never put a value into the text; bind values instead. At most `composedStatementsMax` statements are cached. Do
    /// not keep a statement longer than its connection.
    package func statement(composed sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let cached = composedStatements[sql] { return cached }
        // Statements that are in use are not finalized here, because the code that uses a statement also retains it.
        if composedStatements.count >= SQLiteConnection.composedStatementsMax { composedStatements.removeAll() }
        let newStatement = try Array(sql.utf8).withUnsafeBufferPointer { utf8 throws(SQLiteError) in
            try SQLiteStatement(preparing: utf8, on: self)
        }
        composedStatements[sql] = newStatement
        return newStatement
    }

    /// The prepared statement for a numbered table, compiled at its first use and cached as in
    /// ``statement(composed:)``. If the statement is cached, `sql` is not called.
    ///
    /// - Parameters:
    ///   - number: The number of the table.
    ///   - form: A number that distinguishes the statements for one table. Two different texts must have two numbers.
    ///   - sql: Composes the statement's text.
    package func statement(of number: Int64, form: Int, _ sql: () -> String) throws(SQLiteError) -> SQLiteStatement {
        let key = NumberedForm(number: number, form: form)
        if let cached = numberedStatements[key] { return cached }
        if numberedStatements.count >= SQLiteConnection.composedStatementsMax { numberedStatements.removeAll() }
        let newStatement = try statement(composed: sql())
        numberedStatements[key] = newStatement
        return newStatement
    }

    private struct NumberedForm: Hashable {
        let number: Int64
        let form: Int
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    package var changedRows: Int { Int(sqlite3_changes64(handle)) }

    /// The number of rows that all statements changed since the connection was opened.
    package var changesInAll: Int { Int(sqlite3_total_changes64(handle)) }

    /// The row id of the last insertion.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    func check(_ code: Int32, _ operation: @autoclosure () -> String) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code: code, operation: operation(), handle: handle) }
    }
}

// MARK: Transactions

extension SQLiteConnection {
    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs `body` in a write transaction that takes the write lock at once.
    ///
    /// Commits when `body` returns. If `body` or the commit throws, rolls back all changes.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try statement("BEGIN IMMEDIATE").run()
        do {
            let result = try body()
            try statement("COMMIT").run()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs `body` in a read transaction. All its statements read the same state of the file: commits during the
    /// transaction are not visible.
    package func read<Result>(_ body: () throws -> Result) throws -> Result {
        // This also ends a transaction whose first statement was interrupted.
        defer { rollBack() }
        try beginReading()
        return try body()
    }

    /// Begins a read transaction. Its first statement fixes the state that all its statements read. The caller ends it
    /// with ``rollBack()``.
    package func beginReading() throws { try statement("BEGIN DEFERRED").run() }

    /// Runs `body` in a savepoint of the open transaction. If `body` throws, only the changes that `body` made are
    /// rolled back. After some errors, such as a full disk, SQLite rolls back the complete transaction.
    package func nested<Result>(_ body: () throws -> Result) throws -> Result {
        try statement("SAVEPOINT godwit").run()
        do {
            let result = try body()
            try statement("RELEASE godwit").run()
            return result
        } catch {
            // If the disk was full, SQLite may have rolled back everything, including the savepoint.
            if isInTransaction {
                try statement("ROLLBACK TO godwit").run()
                try statement("RELEASE godwit").run()
            }
            throw error
        }
    }

    /// Ends the open transaction, if there is one, and undoes its changes.
    package func rollBack() {
        // After some errors (a full disk, an I/O error) SQLite has already rolled back.
        guard isInTransaction else { return }
        try? statement("ROLLBACK").run()
    }
}

extension SQLiteConnection.Access {
    fileprivate var allowsViews: Bool {
        if case .readOnlyWithViews = self { return true }
        return false
    }
}
