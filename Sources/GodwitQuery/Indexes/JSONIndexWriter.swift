//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitStore

/// The statements that write the entries of one index.
struct JSONIndexWriter {
    struct Row {
        let entry: JSONIndexEntry
        let id: String
        let sequence: Int64
    }

    private let reader: JSONIndexReader
    private let note: SQLiteStatement
    private let forget: SQLiteStatement
    private let add: SQLiteStatement
    private let move: SQLiteStatement
    private let delete: SQLiteStatement

    init(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        let (entries, documents) = (index.entriesTable, index.documentsTable)
        reader = try JSONIndexReader(index, on: connection)
        note = try connection.statement(composed: "INSERT OR REPLACE INTO \(documents) VALUES(?1, ?2)")
        forget = try connection.statement(composed: "DELETE FROM \(documents) WHERE document = ?1")
        add = try connection.statement(composed: "INSERT OR REPLACE INTO \(entries) VALUES(?1, ?2, ?3, ?4)")
        move = try connection.statement(
            composed: "UPDATE \(entries) SET sequence = ?3, \"values\" = ?4 WHERE key = ?1 AND id = ?2")
        delete = try connection.statement(composed: "DELETE FROM \(entries) WHERE key = ?1 AND id = ?2")
    }

    /// Removes the entries of a document.
    func remove(number: Int64, id: String) throws {
        let keys = try reader.keys(of: number)
        guard !keys.isEmpty else { return }
        for key in keys { try delete(key, id: id) }
        forget.bind(number, at: 1)
        try forget.run()
    }

    /// Updates the existing entries of a document, and deletes those that it no longer has.
    ///
    /// - Returns: The new entries, which the caller inserts.
    func replace(_ entries: [JSONIndexEntry], number: Int64, id: String, sequence: Int64) throws -> [Row] {
        let old = try reader.keys(of: number)
        guard !entries.isEmpty else {
            try remove(number: number, id: id)
            return []
        }
        let rows = entries.map { Row(entry: $0, id: id, sequence: sequence) }
        let new = entries.map(\.key)
        if old != new { try note(new, of: number) }
        guard !old.isEmpty else { return rows }
        let (before, after) = (Set(old), Set(new))
        for key in old where !after.contains(key) { try delete(key, id: id) }
        for row in rows where before.contains(row.entry.key) { try run(move, with: row) }
        return rows.filter { !before.contains($0.entry.key) }
    }

    func insert(_ row: Row) throws { try run(add, with: row) }

    private func run(_ statement: SQLiteStatement, with row: Row) throws {
        statement.bind(row.entry.key as [UInt8]?, at: 1)
        statement.bind(row.id, at: 2)
        statement.bind(row.sequence, at: 3)
        statement.bind(row.entry.values, at: 4)
        try statement.run()
    }

    private func delete(_ key: [UInt8], id: String) throws {
        delete.bind(key as [UInt8]?, at: 1)
        delete.bind(id, at: 2)
        try delete.run()
    }

    private func note(_ keys: [[UInt8]], of number: Int64) throws {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(keys.reduce(0) { $0 + $1.count + 4 })
        for key in keys {
            withUnsafeBytes(of: UInt32(key.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes += key
        }
        note.bind(number, at: 1)
        note.bind(bytes as [UInt8]?, at: 2)
        try note.run()
    }
}

/// The statements that read a document's entries in an index.
struct JSONIndexReader {
    private let index: IndexDescription
    private let connection: SQLiteConnection
    private let find: SQLiteStatement

    init(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        self.index = index
        self.connection = connection
        find = try connection.statement(composed: "SELECT keys FROM \(index.documentsTable) WHERE document = ?1")
    }

    /// Returns the keys of a document's entries.
    func keys(of number: Int64) throws -> [[UInt8]] {
        defer { find.reset() }
        find.bind(number, at: 1)
        guard try find.step() else { return [] }
        return find.withBytes(0) { bytes in
            var keys: [[UInt8]] = []
            var position = 0
            while position + 4 <= bytes.count {
                let count = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
                let end = min(position + 4 + count, bytes.count)
                keys.append(Array(bytes[position + 4..<end]))
                position = end
            }
            return keys
        }
    }

    /// Returns the sequence of an entry; `nil` when the entry does not exist.
    func sequence(of key: [UInt8], id: String) throws -> Int64? {
        let statement = try connection.statement(
            composed: "SELECT sequence FROM \(index.entriesTable) WHERE key = ?1 AND id = ?2")
        defer { statement.reset() }
        statement.bind(key as [UInt8]?, at: 1)
        statement.bind(id, at: 2)
        return try statement.step() ? statement.int64(0) : nil
    }

    /// Returns the number of entries.
    func count() throws -> Int {
        let statement = try connection.statement(composed: "SELECT count(*) FROM \(index.entriesTable)")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}
