//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// Reads a range of a blob without reading the complete row.
    ///
    /// - Parameters:
    ///   - table: The table's name.
    ///   - column: The column's name.
    ///   - row: The row id.
    ///   - range: The range of bytes, within the blob.
    /// - Throws: ``SQLiteError`` if the table, the column or the row does not exist, if the value is neither a blob nor
    ///   a text, or if the range exceeds the value. An empty range never exceeds it.
    package func readBlob(
        table: StaticString, column: StaticString, row: Int64, range: Range<Int>
    ) throws(SQLiteError) -> [UInt8] {
        let blob = try openBlob(table: table, column: column, row: row)
        defer { sqlite3_blob_close(blob) }
        guard !range.isEmpty else { return [] }
        var result: Int32 = SQLITE_OK
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            result = sqlite3_blob_read(blob, buffer.baseAddress, Int32(range.count), Int32(range.lowerBound))
            count = result == SQLITE_OK ? range.count : 0
        }
        try check(result, "reading blob \(row) of \(table)")
        return bytes
    }

    private func openBlob(table: StaticString, column: StaticString, row: Int64) throws(SQLiteError) -> OpaquePointer? {
        var blob: OpaquePointer?
        func openHandle() -> Int32 {
            table.withUTF8Pointer { table in
                column.withUTF8Pointer { column in sqlite3_blob_open(handle, "main", table, column, row, 0, &blob) }
            }
        }
        guard openHandle() != SQLITE_OK else { return blob }
        // Opening a blob does not detect tables that another connection created after this connection read the schema.
        // Running a statement detects them.
        try statement("SELECT 1 FROM sqlite_schema LIMIT 1").run()
        try check(openHandle(), "opening blob \(row) of \(table)")
        return blob
    }
}

extension StaticString {
    fileprivate func withUTF8Pointer<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        withUTF8Buffer { $0.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) } }
    }
}
