//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

/// A prepared statement: bind, step, read columns, reset.
///
/// As in SQLite, the indexes of parameters start at 1, and the indexes of columns start at 0.
package final class SQLiteStatement {
    let handle: OpaquePointer
    private unowned let connection: SQLiteConnection

    init(preparing sql: UnsafeBufferPointer<UInt8>, on connection: SQLiteConnection) throws(SQLiteError) {
        guard !connection.isClosed else { throw .closed }
        var prepared: OpaquePointer?
        let code = sql.withMemoryRebound(to: CChar.self) { text in
            sqlite3_prepare_v3(
                connection.handle, text.baseAddress, Int32(clamping: text.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                &prepared, nil)
        }
        guard code == SQLITE_OK, let prepared else {
            throw SQLiteError(
                code: code, operation: "preparing \(String(decoding: sql, as: UTF8.self))", handle: connection.handle)
        }
        handle = prepared
        self.connection = connection
    }

    private var isFinalized = false

    /// Frees SQLite's statement. The connection calls this method when the connection closes, even if this object is
    /// still referenced.
    func finalize() {
        guard !isFinalized else { return }
        isFinalized = true
        sqlite3_finalize(handle)
    }

    deinit { finalize() }

    // MARK: Binding

    /// Binds an integer.
    package func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }

    /// Binds an integer.
    package func bind(_ value: Int, at index: Int32) { sqlite3_bind_int64(handle, index, Int64(value)) }

    /// Binds a floating-point number.
    package func bind(_ value: Double, at index: Int32) { sqlite3_bind_double(handle, index, value) }

    /// Binds NULL.
    package func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }

    /// Binds a text.
    package func bind(_ text: String, at index: Int32) {
        var text = text
        text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                // An empty text may have a null address, which would bind NULL.
                let start = characters.baseAddress ?? SQLiteStatement.emptyText
                _ = sqlite3_bind_text64(
                    handle, index, start, UInt64(characters.count), SQLiteStatement.transient, UInt8(SQLITE_UTF8))
            }
        }
    }

    /// Binds bytes; an empty array binds an empty blob.
    package func bind(_ bytes: some Collection<UInt8>, at index: Int32) {
        let result: Void? = bytes.withContiguousStorageIfAvailable { bind(UnsafeRawBufferPointer($0), at: index) }
        if result == nil { Array(bytes).withUnsafeBytes { bind($0, at: index) } }
    }

    /// Binds bytes, or NULL for `nil`.
    package func bind(_ bytes: [UInt8]?, at index: Int32) {
        if let bytes { bytes.withUnsafeBytes { bind($0, at: index) } } else { bindNull(at: index) }
    }

    private func bind(_ buffer: UnsafeRawBufferPointer, at index: Int32) {
        if let start = buffer.baseAddress, !buffer.isEmpty {
            sqlite3_bind_blob64(handle, index, start, UInt64(buffer.count), SQLiteStatement.transient)
        } else {
            sqlite3_bind_zeroblob(handle, index, 0)
        }
    }

    // MARK: Stepping

    /// Advances to the next row.
    ///
    /// - Returns: `false` if there is no further row. The statement is then reset; it is also reset before an error is
    ///   thrown.
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        case let code:
            let error = SQLiteError(
                code: code, operation: "running \(String(cString: sqlite3_sql(handle)).prefix(80))",
                handle: connection.handle)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs a statement to its end and ignores its rows.
    package func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Runs a statement to its end with bytes that are bound without a copy.
    package func run(binding bytes: [UInt8], at index: Int32) throws(SQLiteError) {
        let result: Result<Void, SQLiteError> = bytes.withUnsafeBytes { buffer in
            if let start = buffer.baseAddress, !buffer.isEmpty {
                sqlite3_bind_blob64(handle, index, start, UInt64(buffer.count), nil)
            } else {
                sqlite3_bind_zeroblob(handle, index, 0)
            }
            defer { sqlite3_bind_null(handle, index) }
            return Result { () throws(SQLiteError) in try run() }
        }
        try result.get()
    }

    /// Resets the statement, so that it can run again. A statement must be reset if some of its rows were not read.
    /// Until it is reset, it keeps a read transaction open.
    package func reset() { sqlite3_reset(handle) }

    // MARK: Columns of the current row

    /// An integer; 0 for NULL.
    package func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// An integer; 0 for NULL.
    package func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    /// A floating-point number; 0 for NULL.
    package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// A text; empty for NULL.
    package func string(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))),
            as: UTF8.self)
    }

    /// The bytes of a blob or a text; `nil` for NULL.
    package func bytes(_ column: Int32) -> [UInt8]? {
        guard let start = sqlite3_column_blob(handle, column) else { return isNull(column) ? nil : [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        // All empty arrays without capacity share one object, and other threads may use this object. The initializer
        // below would write the count of the object, so it is not called for 0 bytes.
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            UnsafeMutableRawBufferPointer(buffer).copyMemory(from: UnsafeRawBufferPointer(start: start, count: count))
            initializedCount = count
        }
    }

    /// Replaces the content of `bytes` by a blob or a text. Reuses the array's memory.
    package func read(_ column: Int32, into bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        withBytes(column) { bytes.append(contentsOf: $0) }
    }

    /// Runs `body` with the bytes of a blob or a text, without copying them. For NULL, there are no bytes. The bytes
    /// are valid only within `body`.
    package func withBytes<Result, Failure>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = sqlite3_column_blob(handle, column)
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Whether the column is NULL.
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    // With this marker, SQLite copies the bound value before the call returns.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    nonisolated(unsafe) private static let emptyText: UnsafePointer<CChar> = {
        let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        byte.initialize(to: 0)
        return UnsafePointer(byte)
    }()
}
