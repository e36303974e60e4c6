//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite
import GodwitStore

/// The statements that write the rows of one group of views.
struct ViewWriter {
    private let selectEntriesStatement: SQLiteStatement
    private let storeEntriesStatement: SQLiteStatement
    private let deleteEntriesStatement: SQLiteStatement
    private let selectRowStatement: SQLiteStatement
    private let insertRowStatement: SQLiteStatement
    private let deleteRowStatement: SQLiteStatement
    private let spans: SpanWriter

    init(_ tables: ViewTables, on connection: SQLiteConnection) throws {
        let (rows, documents) = (tables.rows, tables.documents)
        selectEntriesStatement = try connection.statement(
            composed: "SELECT entries FROM \(documents) WHERE document = ?1")
        storeEntriesStatement = try connection.statement(composed: "INSERT OR REPLACE INTO \(documents) VALUES(?1, ?2)")
        deleteEntriesStatement = try connection.statement(composed: "DELETE FROM \(documents) WHERE document = ?1")
        selectRowStatement = try connection.statement(composed: "SELECT key, value FROM \(rows) WHERE entry = ?1")
        insertRowStatement = try connection.statement(
            composed: "INSERT OR REPLACE INTO \(rows) VALUES(?1, ?2, ?3, ?4, ?5)")
        deleteRowStatement = try connection.statement(composed: "DELETE FROM \(rows) WHERE entry = ?1")
        spans = try SpanWriter(tables, on: connection)
    }

    /// Updates the rows of documents.
    func apply(_ changes: [ViewChange]) throws {
        var additions: [(row: EmittedRow, isNew: Bool)] = []
        for change in changes {
            let oldEntries = try entries(of: change.number)
            guard !change.rows.isEmpty else {
                for entry in oldEntries { try remove(entry) }
                if !oldEntries.isEmpty { try deleteEntries(of: change.number) }
                continue
            }
            let oldSet = Set(oldEntries)
            let newSet = Set(change.rows.map(\.entry))
            invariant(newSet.count == change.rows.count, "the rows of a document have different entries")
            for entry in oldEntries where !newSet.contains(entry) { try remove(entry) }
            if oldSet != newSet { try storeEntries(change.rows.map(\.entry), of: change.number) }
            additions += change.rows.map { ($0, !oldSet.contains($0.entry)) }
        }
        // The rows are sorted by their entries, so that rows in the same page of the B-tree are written one after the
        // other.
        additions.sort { $0.row.entry.bytes.lexicographicallyPrecedes($1.row.entry.bytes) }
        for (row, isNew) in additions { try insert(row, isNew: isNew) }
    }

    /// Returns the entries of a document's rows.
    func entries(of document: Int64) throws -> [ViewEntry] {
        defer { selectEntriesStatement.reset() }
        selectEntriesStatement.bind(document, at: 1)
        guard try selectEntriesStatement.step() else { return [] }
        guard let entries = selectEntriesStatement.withBytes(0, [ViewEntry].init(decoding:)) else {
            throw StoreError.damagedRow
        }
        return entries
    }

    /// Whether a row exists.
    func has(_ entry: ViewEntry) throws -> Bool {
        selectRowStatement.bind(entry.bytes as [UInt8]?, at: 1)
        defer { selectRowStatement.reset() }
        return try selectRowStatement.step()
    }

    private func insert(_ row: EmittedRow, isNew: Bool) throws {
        if !isNew, try isUnchanged(row) { return }
        let level = row.entry.level
        insertRowStatement.bind(row.entry.bytes as [UInt8]?, at: 1)
        insertRowStatement.bind(row.entry.idStart, at: 2)
        insertRowStatement.bind(level, at: 3)
        insertRowStatement.bind(row.key as [UInt8]?, at: 4)
        insertRowStatement.bind(row.value.isJSONNull ? nil : row.value, at: 5)
        try insertRowStatement.run()
        try spans.touch(row.entry.bytes)
        if isNew, level > 0 { for level in 1...level { try spans.add(row.entry.bytes, level: level) } }
    }

    private func isUnchanged(_ row: EmittedRow) throws -> Bool {
        selectRowStatement.bind(row.entry.bytes as [UInt8]?, at: 1)
        defer { selectRowStatement.reset() }
        guard try selectRowStatement.step(), selectRowStatement.bytes(0) == row.key else { return false }
        return selectRowStatement.isNull(1) ? row.value.isJSONNull : selectRowStatement.bytes(1) == row.value
    }

    private func remove(_ entry: ViewEntry) throws {
        try deleteRowStatement.run(binding: entry.bytes, at: 1)
        let level = entry.level
        if level > 0 { for level in 1...level { try spans.remove(entry.bytes, level: level) } }
        try spans.touch(entry.bytes)
    }

    private func storeEntries(_ entries: [ViewEntry], of document: Int64) throws {
        invariant(!entries.isEmpty, "a document without rows has no list of entries")
        storeEntriesStatement.bind(document, at: 1)
        storeEntriesStatement.bind(entries.encoded as [UInt8]?, at: 2)
        try storeEntriesStatement.run()
    }

    private func deleteEntries(of document: Int64) throws {
        deleteEntriesStatement.bind(document, at: 1)
        try deleteEntriesStatement.run()
    }
}

extension [UInt8] {
    /// Whether the JSON text is `null`, the only JSON text of four bytes that starts with `n`.
    fileprivate var isJSONNull: Bool { count == 4 && first == UInt8(ascii: "n") }
}

extension [ViewEntry] {
    /// The encoded entries. Each entry is encoded as the number of its bytes and the offset of the id, in four bytes
    /// each, followed by the bytes of the entry.
    fileprivate var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(reduce(0) { $0 + 8 + $1.bytes.count })
        for entry in self {
            for integer in [entry.bytes.count, entry.idStart] {
                Swift.withUnsafeBytes(of: UInt32(clamping: integer).bigEndian) { bytes.append(contentsOf: $0) }
            }
            bytes += entry.bytes
        }
        return bytes
    }

    /// Decodes the output of ``encoded``; `nil` when the bytes are damaged.
    fileprivate init?(decoding bytes: UnsafeRawBufferPointer) {
        func integer(at byteOffset: Int) -> Int {
            Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: byteOffset, as: UInt32.self)))
        }
        self = []
        var entryStart = 0
        while entryStart + 8 <= bytes.count {
            let end = Swift.min(entryStart + 8 + integer(at: entryStart), bytes.count)
            let entryBytes = Array<UInt8>(bytes[entryStart + 8..<end])
            guard let entry = ViewEntry(storedBytes: entryBytes, idStart: integer(at: entryStart + 4)) else {
                return nil
            }
            append(entry)
            entryStart = end
        }
    }
}
