//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
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
    private let storeKeysStatement: SQLiteStatement
    private let deleteKeysStatement: SQLiteStatement
    private let insertStatement: SQLiteStatement
    private let updateStatement: SQLiteStatement
    private let deleteStatement: SQLiteStatement

    init(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        let (entries, documents) = (index.entriesTable, index.documentsTable)
        reader = try JSONIndexReader(index, on: connection)
        storeKeysStatement = try connection.statement(composed: "INSERT OR REPLACE INTO \(documents) VALUES(?1, ?2)")
        deleteKeysStatement = try connection.statement(composed: "DELETE FROM \(documents) WHERE document = ?1")
        insertStatement = try connection.statement(composed: "INSERT OR REPLACE INTO \(entries) VALUES(?1, ?2, ?3, ?4)")
        updateStatement = try connection.statement(
            composed: "UPDATE \(entries) SET sequence = ?3, \"values\" = ?4 WHERE key = ?1 AND id = ?2")
        deleteStatement = try connection.statement(composed: "DELETE FROM \(entries) WHERE key = ?1 AND id = ?2")
    }

    /// Removes the entries of a document.
    func remove(number: Int64, id: String) throws {
        let keys = try reader.keys(of: number)
        guard !keys.isEmpty else { return }
        for key in keys { try deleteEntry(key, id: id) }
        deleteKeysStatement.bind(number, at: 1)
        try deleteKeysStatement.run()
    }

    /// Updates the existing entries of a document, and deletes entries that the document should no longer have.
    ///
    /// - Returns: The new entries, which the caller inserts.
    func replace(_ entries: [JSONIndexEntry], number: Int64, id: String, sequence: Int64) throws -> [Row] {
        let oldKeys = try reader.keys(of: number)
        guard !entries.isEmpty else {
            try remove(number: number, id: id)
            return []
        }
        let rows = entries.map { Row(entry: $0, id: id, sequence: sequence) }
        let newKeys = entries.map(\.key)
        if oldKeys != newKeys { try storeKeys(newKeys, of: number) }
        guard !oldKeys.isEmpty else { return rows }
        let (oldSet, newSet) = (Set(oldKeys), Set(newKeys))
        invariant(newSet.count == newKeys.count, "the entries of a document have different keys")
        for key in oldKeys where !newSet.contains(key) { try deleteEntry(key, id: id) }
        for row in rows where oldSet.contains(row.entry.key) { try run(updateStatement, with: row) }
        return rows.filter { !oldSet.contains($0.entry.key) }
    }

    func insert(_ row: Row) throws { try run(insertStatement, with: row) }

    private func run(_ statement: SQLiteStatement, with row: Row) throws {
        statement.bind(row.entry.key as [UInt8]?, at: 1)
        statement.bind(row.id, at: 2)
        statement.bind(row.sequence, at: 3)
        statement.bind(row.entry.values, at: 4)
        try statement.run()
    }

    private func deleteEntry(_ key: [UInt8], id: String) throws {
        deleteStatement.bind(key as [UInt8]?, at: 1)
        deleteStatement.bind(id, at: 2)
        try deleteStatement.run()
    }

    private func storeKeys(_ keys: [[UInt8]], of number: Int64) throws {
        invariant(!keys.isEmpty, "a document without entries has no list of keys")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(keys.reduce(0) { $0 + $1.count + 4 })
        for key in keys {
            withUnsafeBytes(of: UInt32(clamping: key.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes += key
        }
        storeKeysStatement.bind(number, at: 1)
        storeKeysStatement.bind(bytes as [UInt8]?, at: 2)
        try storeKeysStatement.run()
    }
}

/// The statements that read a document's entries in an index.
struct JSONIndexReader {
    private let index: IndexDescription
    private let connection: SQLiteConnection
    private let keysStatement: SQLiteStatement

    init(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        self.index = index
        self.connection = connection
        keysStatement = try connection.statement(
            composed: "SELECT keys FROM \(index.documentsTable) WHERE document = ?1")
    }

    /// Returns the keys of a document's entries.
    func keys(of number: Int64) throws -> [[UInt8]] {
        defer { keysStatement.reset() }
        keysStatement.bind(number, at: 1)
        guard try keysStatement.step() else { return [] }
        return keysStatement.withBytes(0) { bytes in
            var keys: [[UInt8]] = []
            var byteOffset = 0
            while byteOffset + 4 <= bytes.count {
                let count = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: byteOffset, as: UInt32.self)))
                let end = min(byteOffset + 4 + count, bytes.count)
                keys.append(Array(bytes[byteOffset + 4..<end]))
                byteOffset = end
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
