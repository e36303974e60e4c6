//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// The complete database as the bytes of its file.
    ///
    /// This method is intended for small databases that are used as templates.
    package func image() throws(SQLiteError) -> [UInt8] {
        var size: sqlite3_int64 = 0
        guard let start = sqlite3_serialize(handle, "main", &size, 0) else {
            throw SQLiteError(code: SQLITE_NOMEM, operation: "serializing a database", handle: nil)
        }
        defer { sqlite3_free(start) }
        var bytes = [UInt8](UnsafeBufferPointer(start: start, count: Int(size)))
        SQLiteConnection.setVersions(of: &bytes, to: 2)
        return bytes
    }

    /// Creates a database in memory from an image.
    package convenience init(image: [UInt8]) throws(SQLiteError) {
        try self.init(path: ":memory:", access: .readWrite(creating: true))
        guard let start = sqlite3_malloc64(UInt64(image.count)) else {
            throw SQLiteError(code: SQLITE_NOMEM, operation: "opening an image", handle: nil)
        }
        var image = image
        SQLiteConnection.setVersions(of: &image, to: 1)
        start.copyMemory(from: image, byteCount: image.count)
        let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
        try check(
            sqlite3_deserialize(
                handle, "main", start.assumingMemoryBound(to: UInt8.self), sqlite3_int64(image.count),
                sqlite3_int64(image.count), flags), "opening an image")
    }

    /// Sets bytes 18 and 19 of the header: the write version and the read version. Version 2 means write-ahead log,
    /// which a database in memory does not support. (SQLite, "Database File Format", 1.3.3)
    private static func setVersions(of image: inout [UInt8], to version: UInt8) {
        guard image.count > 19 else { return }
        (image[18], image[19]) = (version, version)
    }
}
